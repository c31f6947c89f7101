package io.rdma.samples.pipeline;

import java.util.SplittableRandom;

// Invariant: one caller of next() at a time, from any thread; stop() from any thread.

/** The measurements of the producer: a walk of random steps, in blocks. */
public final class Walk {
    private final long blocks;
    private final int samples;
    private final SplittableRandom random = new SplittableRandom();
    private final Measured measured = new Measured();
    private long last;
    private volatile boolean stopped;

    Walk(long blocks, int samples) {
        if (blocks < 1) { // it would never end
            throw new IllegalArgumentException("one block at least, please, not " + blocks);
        }
        this.blocks = blocks;
        this.samples = samples;
    }

    /**
     * Returns the next message.
     *
     * @return a block; after the last block, or after a stop, the end
     */
    public Message next() {
        if (stopped || measured.count() == blocks) {
            return measured.end();
        }
        long[] block = new long[samples];
        for (int i = 0; i < samples; i++) {
            last += random.nextLong(-1000, 1001);
            block[i] = last;
        }
        Message.Block made = new Message.Block(measured.count(), block);
        measured.add(block);
        return made;
    }

    /** Ends the stream: makes no more blocks. */
    void stop() {
        stopped = true;
    }

    /**
     * Compares the sink's answer with the blocks that were made.
     *
     * @param answer the sink's
     * @throws IllegalStateException if they differ
     */
    public void confirm(Message answer) {
        if (!answer.equals(measured.end())) {
            throw new IllegalStateException("made " + measured.end() + ", but the sink answered " + answer);
        }
    }
}
