package io.rdma.samples.pipeline;

// Invariant: one caller at a time, from any thread, for the messages of one connection.

/** The work of the sink: undoes the differences, and checks that every block arrives once, in order and unchanged. */
public final class Checker {
    private final Measured measured = new Measured();
    private long last;

    /**
     * Checks the next message.
     *
     * @param message as received; its samples are replaced
     * @throws IllegalStateException if another message was expected
     */
    public void take(Message message) {
        switch (message) {
            case Message.Block block -> {
                if (block.number() != measured.count()) {
                    throw new IllegalStateException("expected block " + measured.count() + ", not " + block.number()
                            + ": blocks were lost, doubled or swapped");
                }
                long[] samples = block.samples();
                for (int i = 0; i < samples.length; i++) {
                    last += samples[i];
                    samples[i] = last;
                }
                measured.add(samples);
            }
            case Message.End end -> {
                if (!end.equals(measured.end())) {
                    throw new IllegalStateException(
                            "the producer made " + end + ", but the sink received " + measured.end());
                }
            }
        }
    }
}
