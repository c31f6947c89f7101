package io.rdma.connect;

/**
 * Admission limits of one server, so that clients cannot exhaust it; immutable. A connection beyond a limit is refused
 * with a reason. Existing connections are not affected.
 *
 * @param connections open at a time
 * @param handshakes exchanges in progress at a time; the server disconnects further clients
 * @param handshakesPerAddress exchanges in progress at a time with clients of one IPv4 address, or of one /64 of IPv6,
 *     so that one host cannot take all of them; the server disconnects further clients
 */
public record AdmissionLimits(int connections, int handshakes, int handshakesPerAddress) {
    /**
     * Defaults: as many connections as the device has room for, 256 exchanges at a time, 128 of them with one address.
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
     * Returns a copy with another number of connections.
     *
     * @param most see the record
     * @return a copy
     */
    public AdmissionLimits withConnections(int most) {
        return new AdmissionLimits(most, handshakes, handshakesPerAddress);
    }

    /**
     * Returns a copy with another number of handshakes.
     *
     * @param most see the record
     * @return a copy
     */
    public AdmissionLimits withHandshakes(int most) {
        return new AdmissionLimits(connections, most, handshakesPerAddress);
    }

    /**
     * Returns a copy with another number of handshakes with one address.
     *
     * @param most see the record; as many as {@code handshakes} where all clients share an address
     * @return a copy
     */
    public AdmissionLimits withHandshakesPerAddress(int most) {
        return new AdmissionLimits(connections, handshakes, most);
    }
}
