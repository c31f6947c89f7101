package io.rdma.connect;

/**
 * What one server admits, so that clients cannot exhaust it; immutable. A connection beyond a limit is refused with a
 * reason, those that exist go on.
 *
 * @param connections at a time
 * @param handshakes exchanges under way at a time; a client beyond them is hung up on
 * @param handshakesPerAddress exchanges under way at a time with clients of one IPv4 address, or of one /64 of IPv6, so
 *     that one host cannot take all of them; a client beyond them is hung up on
 */
public record AdmissionLimits(int connections, int handshakes, int handshakesPerAddress) {
    /**
     * Any number of connections that the device has room for, 256 exchanges at a time, 128 of them with one address.
     */
    public static final AdmissionLimits DEFAULT = new AdmissionLimits(Integer.MAX_VALUE, 256, 128);

    /** Checks the ranges. */
    public AdmissionLimits {
        if (connections < 1 || handshakes < 1 || handshakesPerAddress < 1) {
            throw new IllegalArgumentException(
                    "a server must admit at least one connection and one handshake: connections " + connections
                            + ", handshakes " + handshakes + ", handshakesPerAddress " + handshakesPerAddress);
        }
    }

    /**
     * With another number of connections.
     *
     * @param most see the record
     * @return a copy
     */
    public AdmissionLimits withConnections(int most) {
        return new AdmissionLimits(most, handshakes, handshakesPerAddress);
    }

    /**
     * With another number of handshakes.
     *
     * @param most see the record
     * @return a copy
     */
    public AdmissionLimits withHandshakes(int most) {
        return new AdmissionLimits(connections, most, handshakesPerAddress);
    }

    /**
     * With another number of handshakes of one address.
     *
     * @param most see the record; as many as {@code handshakes} where all clients share an address
     * @return a copy
     */
    public AdmissionLimits withHandshakesPerAddress(int most) {
        return new AdmissionLimits(connections, handshakes, most);
    }
}
