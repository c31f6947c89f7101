package io.rdma.samples.pipeline;

// Invariant: one caller at a time, from any thread: the messages of one connection.

/** What the transform does: each sample becomes its difference to the one before, which is a small number. */
public final class Deltas {
    private long last;

    /**
     * Transforms a message; the end stays as it is.
     *
     * @param message as received; its samples are replaced
     * @return what to send
     */
    public Message apply(Message message) {
        if (message instanceof Message.Block block) {
            long[] samples = block.samples();
            for (int i = 0; i < samples.length; i++) {
                long sample = samples[i];
                samples[i] = sample - last;
                last = sample;
            }
        }
        return message;
    }
}
