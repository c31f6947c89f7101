package io.rdma.engine;

/** Failure of a datagram that does not fit into one packet; nothing was posted. Split it, or use a connection. */
public final class DatagramTooLongException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int length;
    private final int limit;

    /**
     * Creates the exception for a datagram that is too long.
     *
     * @param length of the datagram in bytes
     * @param limit the most bytes that fit
     */
    public DatagramTooLongException(int length, int limit) {
        super("datagram of " + length + " bytes is larger than the port's MTU, " + limit
                + ": send less, raise the MTU of the network interface, or use a connection");
        this.length = length;
        this.limit = limit;
    }

    /**
     * Returns the length of the datagram.
     *
     * @return bytes
     */
    public int length() {
        return length;
    }

    /**
     * Returns the length of the longest datagram.
     *
     * @return bytes
     */
    public int limit() {
        return limit;
    }
}
