package io.rdma.samples.pipeline;

// Invariant: one caller at a time, from any thread: the messages of one connection.

/** What the sink does: undoes the differences, and checks that every block comes once, in order and unchanged. */
public final class Checker {
    private final Measured measured = new Measured();
    private long last;

    /**
     * Takes the next message.
     *
     * @param message as received; its samples are replaced
     * @throws IllegalStateException if it is another one than should come
     */
    public void take(Message message) {
        switch (message) {
            case Message.Block block -> {
                if (block.number() != measured.count()) {
                    throw new IllegalStateException("block " + block.number() + " came where block " + measured.count()
                            + " should: blocks were lost, doubled or swapped");
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
                    throw new IllegalStateException("the producer made " + end + ", but here came " + measured.end());
                }
            }
        }
    }
}
