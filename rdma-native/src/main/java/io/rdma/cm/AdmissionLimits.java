package io.rdma.cm;

/**
 * What one server admits, so that clients cannot exhaust it; immutable. A connection beyond a limit is refused with a reason, those that exist go on.
 *
 * @param connections at a time
 * @param handshakes exchanges under way at a time; a client beyond them is hung up on
 */
public record AdmissionLimits(int connections, int handshakes) {
    /** Any number of connections that the device has room for, 256 exchanges at a time. */
    public static final AdmissionLimits DEFAULT = new AdmissionLimits(Integer.MAX_VALUE, 256);

    /** Checks the ranges. */
    public AdmissionLimits {
        if (connections < 1 || handshakes < 1) {
            throw new IllegalArgumentException("a server must admit at least one connection and one handshake");
        }
    }

    /**
     * With another number of connections.
     *
     * @param most see the record
     * @return a copy
     */
    public AdmissionLimits withConnections(int most) {
        return new AdmissionLimits(most, handshakes);
    }

    /**
     * With another number of handshakes.
     *
     * @param most see the record
     * @return a copy
     */
    public AdmissionLimits withHandshakes(int most) {
        return new AdmissionLimits(connections, most);
    }
}
