package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.PlacementAbilities;

// On the wire a range is two bytes and the capabilities are a u32. Releases without ranges write zeros in these places
// and ignore what they read there. So zeros mean the version of the header alone, and no capability.

/**
 * Versions and capabilities that one side supports. Two sides use the highest version and the capabilities that both
 * have; unknown capabilities are ignored.
 *
 * @param lowest version
 * @param highest version
 * @param capabilities one bit for each
 */
record Offer(int lowest, int highest, int capabilities) {
    /** Ends a connection with a farewell, see docs/internals/protocol.md; used only where credits are counted. */
    static final int FAREWELLS = 1;

    /** Accepts a write of no bytes, without a key, at any time. */
    static final int PROBES = 1 << 1;

    /** Posts only a part of its receives at first, see {@link FirstBuffers}; used only where credits are counted. */
    static final int GROWING_WINDOWS = 1 << 2;

    /** Reads several small messages from one receive; used only where credits are counted. */
    static final int BATCHES = 1 << 3;

    /** Its device answers a FLUSH for global visibility. */
    static final int FLUSHES = 1 << 4;

    /** Its device answers a FLUSH for persistence. */
    static final int PERSISTS = 1 << 5;

    /** Its device answers an ATOMIC WRITE. */
    static final int ATOMIC_WRITES = 1 << 6;

    /** Has an alternate path, and requires that the peer has one; offered in the exchange over TCP only. */
    static final int ALTERNATE_PATHS = 1 << 9;

    /** Knows that a side with {@link #SHARED_RECEIVES} begins with few receives; used only with growing windows. */
    static final int SHARED_WINDOWS = 1 << 10;

    /** Shares its receives with other connections. One side has it, by its configuration. */
    static final int SHARED_RECEIVES = 1 << 11;

    /** Has an unreliable connection, and requires that the peer has one; offered in the exchange over TCP only. */
    static final int UNRELIABLE = 1 << 12;

    /** Has an extended reliable connection, and requires that the peer has one, see {@link XrcEnd}. */
    static final int EXTENDED = 1 << 13;

    /** Distance of the bits of FLUSH for a device with the ICRC of {@code rdma_rxe}, which no other one accepts. */
    private static final int OTHER_ICRC = 3;

    /** Vendor of {@code rdma_rxe}, {@code ibv_query_device(3)}. Its ICRC of a FLUSH covers the headers twice. */
    private static final int RXE_VENDOR = 0xffffff;

    /** All capabilities of this release that depend on neither device nor options. */
    static final int ALL = FAREWELLS | PROBES | GROWING_WINDOWS | BATCHES | SHARED_WINDOWS;

    /**
     * Returns the offer of a peer.
     *
     * @param version of the header
     * @param lowest as the message has it
     * @param highest as the message has it
     * @param capabilities as the message has them
     */
    static Offer heard(int version, int lowest, int highest, int capabilities) {
        return lowest == 0 && highest == 0
                ? new Offer(version, version, capabilities)
                : new Offer(lowest, highest, capabilities);
    }

    /** Returns the same offer, and what its device answers. */
    Offer with(PlacementAbilities device, int vendorId) {
        int flushes = (device.flushes() ? FLUSHES : 0) | (device.persists() ? PERSISTS : 0);
        return and(flushes << shift(vendorId) | (device.atomicWrites() ? ATOMIC_WRITES : 0));
    }

    /** Returns what its device answers to a device of a vendor. */
    PlacementAbilities placement(int vendorId) {
        int flushes = capabilities >>> shift(vendorId);
        return new PlacementAbilities(
                (flushes & FLUSHES) != 0, (flushes & PERSISTS) != 0, (capabilities & ATOMIC_WRITES) != 0);
    }

    private static int shift(int vendorId) {
        return vendorId == RXE_VENDOR ? OTHER_ICRC : 0;
    }

    /** Returns whether a message of that version can be read. */
    boolean includes(int version) {
        return version >= lowest && version <= highest;
    }

    /**
     * Returns the version that the two sides use.
     *
     * @param peer offer of the other side
     * @param greeting name of the message that has the version
     * @throws RdmaConnectException VERSION_MISMATCH if they have no version in common
     */
    int versionWith(Offer peer, String greeting) {
        int version = Math.min(highest, peer.highest);
        if (!includes(version) || !peer.includes(version)) {
            throw mismatch(peer.range(), greeting);
        }
        return version;
    }

    /** Returns the exception for a peer that supports other versions only. */
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

    /** Returns the same offer, and more capabilities. */
    Offer and(int more) {
        return new Offer(lowest, highest, capabilities | more);
    }

    /** Returns whether this side has a capability. */
    boolean has(int capability) {
        return (capabilities & capability) != 0;
    }

    /** Returns whether both sides have a capability. */
    boolean shares(int capability, Offer peer) {
        return (capabilities & peer.capabilities & capability) != 0;
    }
}
