package io.rdma.connect;

import io.rdma.connect.RdmaConnectException.Reason;

// On the wire a range is two bytes and the capabilities are a u32, in places where releases without ranges write zeros
// and read nothing. So zeros mean: the version of the header alone, and no capability.

/**
 * The part of the protocol that one side can speak: a range of versions, and a set of capabilities. Two sides use the
 * highest version and the capabilities that both have; unknown capabilities are ignored.
 *
 * @param lowest version
 * @param highest version
 * @param capabilities a bit for each
 */
record Offer(int lowest, int highest, int capabilities) {
    /** Ends with a frame that says how, see docs/internals/protocol.md; of use where credits are counted. */
    static final int FAREWELLS = 1;

    /** Takes a write of no bytes without a key at any time. */
    static final int PROBES = 1 << 1;

    /** Begins with a part of its receives, see {@link FirstBuffers}; of use where credits are counted. */
    static final int GROWING_WINDOWS = 1 << 2;

    /** All that this release has. */
    static final int ALL = FAREWELLS | PROBES | GROWING_WINDOWS;

    /**
     * The offer of a peer.
     *
     * @param version of the header
     * @param lowest as it stands in the message
     * @param highest as it stands in the message
     * @param capabilities as they stand in the message
     */
    static Offer heard(int version, int lowest, int highest, int capabilities) {
        return lowest == 0 && highest == 0
                ? new Offer(version, version, capabilities)
                : new Offer(lowest, highest, capabilities);
    }

    /** Whether a message of that version can be read. */
    boolean includes(int version) {
        return version >= lowest && version <= highest;
    }

    /**
     * The version that two sides use.
     *
     * @param peer offer of the other side
     * @param greeting name of the message that has the version
     * @throws RdmaConnectException VERSION_MISMATCH if there is none
     */
    int versionWith(Offer peer, String greeting) {
        int version = Math.min(highest, peer.highest);
        if (!includes(version) || !peer.includes(version)) {
            throw mismatch(peer.range(), greeting);
        }
        return version;
    }

    /** The peer speaks other versions only. */
    RdmaConnectException mismatch(String theirs, String greeting) {
        return new RdmaConnectException(
                Reason.VERSION_MISMATCH,
                "the peer speaks version " + theirs + " of " + greeting + ", this side version " + range()
                        + ": use releases that have a version in common",
                null);
    }

    private String range() {
        return lowest == highest ? Integer.toString(lowest) : lowest + " to " + highest;
    }

    /** Whether both sides have a capability. */
    boolean shares(int capability, Offer peer) {
        return (capabilities & peer.capabilities & capability) != 0;
    }
}
