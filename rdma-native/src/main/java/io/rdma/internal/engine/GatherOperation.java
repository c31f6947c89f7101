package io.rdma.internal.engine;

import io.rdma.types.WorkRequestOpcode;

// Invariant: the pieces do not change from the submit until the operation has ended.

/**
 * A message that the device gathers from several pieces of registered memory, {@code sg_list} in {@code
 * ibv_post_send(3)}, as an operation. A front-end subclasses it. The engine does not know who owns the pieces: the
 * subclass keeps them until {@link #completed} or {@link #failed}.
 */
public abstract class GatherOperation extends Operation {
    private static final WorkRequest REQUEST = new WorkRequest(WorkRequestOpcode.SEND, null, null, null, false);

    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private int pieces;
    private int bytes;

    /**
     * Creates an operation without pieces.
     *
     * @param endpoint endpoint that it will be submitted to
     */
    protected GatherOperation(Endpoint endpoint) {
        super(REQUEST);
        int most = endpoint.options().maxGathered();
        addresses = new long[most];
        lengths = new int[most];
        lkeys = new int[most];
    }

    /**
     * Returns whether one request can have so many further pieces.
     *
     * @param more number of pieces to be added
     * @return false if {@link #add} would throw before all were added
     */
    public final boolean hasRoomFor(int more) {
        return pieces + more <= addresses.length;
    }

    /**
     * Returns the length of the message.
     *
     * @return bytes of all pieces
     */
    public final int bytes() {
        return bytes;
    }

    /**
     * Adds a piece at the end of the message.
     *
     * @param address first byte
     * @param length bytes, at least 1
     * @param lkey local key of the region that has them
     * @throws IllegalStateException if it is full
     */
    public final void add(long address, int length, int lkey) {
        if (!hasRoomFor(1)) {
            throw new IllegalStateException("a message of this connection gathers at most " + pieces
                    + " pieces: raise QueuePairCapacity.withMaxSendSge");
        }
        addresses[pieces] = address;
        lengths[pieces] = length;
        lkeys[pieces] = lkey;
        pieces++;
        bytes += length;
    }

    /** Removes all pieces, for the next message. */
    protected final void clear() {
        pieces = 0;
        bytes = 0;
    }

    @Override
    final int lengthWithoutBuffer() {
        return bytes;
    }

    int pieces() {
        return pieces;
    }

    long address(int piece) {
        return addresses[piece];
    }

    int length(int piece) {
        return lengths[piece];
    }

    int lkey(int piece) {
        return lkeys[piece];
    }
}
