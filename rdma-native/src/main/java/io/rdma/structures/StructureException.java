package io.rdma.structures;

import io.rdma.types.RdmaException;

/** Failure of one operation on a one-sided data structure. The connection is open, and other operations go on. */
public final class StructureException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /** Reason of the failure. */
    public enum Reason {
        /** The memory does not have the layout of the structure, or has one of another version or byte order. */
        OTHER_LAYOUT,
        /**
         * The device of the host or of the client has no atomics, or those of the host's device do not exclude those of
         * the processor that was to do the same.
         */
        NO_ATOMICS,
        /** The send buffers of the connection are smaller than what one READ fetches. */
        SMALL_BUFFERS,
        /** A conditional change met another version, see {@link #version()}. Nothing was changed. */
        CONFLICT,
        /** The bucket of the key has no room. Nothing was changed. */
        FULL,
        /** Writers that are silent but still connected hold all images that could be written. Nothing was changed. */
        BUSY,
        /** The content of the memory contradicts itself. */
        CORRUPT,
        /** The host has given a writer number to as many connections as there are numbers. */
        TOO_MANY_WRITERS
    }

    private final Reason reason;
    private final long version;

    /**
     * Creates the exception; called by the library.
     *
     * @param reason reason of the failure
     * @param message what failed and what to do
     */
    public StructureException(Reason reason, String message) {
        super(message);
        this.reason = reason;
        this.version = 0;
    }

    private StructureException(long expected, long version) {
        super("the version is " + version + ", not " + expected + ": get the value again, then decide again");
        this.reason = Reason.CONFLICT;
        this.version = version;
    }

    /**
     * Creates the error of a conditional change; called by the library.
     *
     * @param expected version that the caller expected
     * @param version version that is there, 0 for no value
     * @return the error
     */
    public static StructureException conflict(long expected, long version) {
        return new StructureException(expected, version);
    }

    /**
     * Returns the reason of the failure.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns the version that a conditional change met.
     *
     * @return the version, 0 if there is no value; 0 for all reasons but {@link Reason#CONFLICT}
     */
    public long version() {
        return version;
    }
}
