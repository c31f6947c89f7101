package io.rdma.samples.pipeline;

// Invariant: one caller at a time, from any thread, for the messages of one connection.

/** The work of the transform: replaces each sample by its difference to the one before, which is a small number. */
public final class Deltas {
    private long last;

    /**
     * Transforms a message. The end is not changed.
     *
     * @param message as received; its samples are replaced
     * @return the message to send
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
