package io.rdma.verbs;

import io.rdma.types.Gid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The global routing header, the first 40 bytes of the receive of a datagram, {@code struct ibv_grh} in
 * {@code ibv_post_recv(3)}. It is valid if {@link CompletionBatch#hasGlobalRoute} is true. On RoCE version 2 over IPv4
 * the last 20 bytes are the IP header and the other bytes are undefined (IBA annex A17).
 *
 * @param sgid GID of the sender
 * @param dgid GID of the destination: one of this port, or of a multicast group
 * @param flowLabel 20 bits; 0 over IPv4
 * @param trafficClass 0 to 255
 * @param hopLimit hops that remained on arrival, 0 to 255
 */
public record GlobalRoutingHeader(Gid sgid, Gid dgid, int flowLabel, int trafficClass, int hopLimit) {
    /** The number of bytes that the header occupies in front of every datagram. */
    public static final int BYTES = 40;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int SGID = 8;
    private static final int DGID = 24;
    private static final int IPV4 = 20;

    /**
     * Returns whether {@link #read} would succeed.
     *
     * @param header at least 40 bytes
     * @return true if it is a header of IP version 6 or 4
     */
    public static boolean isReadable(MemorySegment header) {
        return header.get(INT, 0) >>> 28 == 6 || u8(header, IPV4) >>> 4 == 4;
    }

    /**
     * Reads the header.
     *
     * @param header at least 40 bytes, the start of the memory of the receive
     * @return the header
     * @throws IllegalArgumentException if it is a header of neither IP version 6 nor 4: the completion reported none,
     *     or it is at another place
     */
    public static GlobalRoutingHeader read(MemorySegment header) {
        int word = header.get(INT, 0);
        if (word >>> 28 == 6) {
            return new GlobalRoutingHeader(
                    gid(header, SGID), gid(header, DGID), word & 0xfffff, word >>> 20 & 0xff, u8(header, 7));
        }
        if (u8(header, IPV4) >>> 4 == 4) {
            return new GlobalRoutingHeader(
                    mapped(header, IPV4 + 12),
                    mapped(header, IPV4 + 16),
                    0,
                    u8(header, IPV4 + 1),
                    u8(header, IPV4 + 8));
        }
        throw new IllegalArgumentException(
                "the first 40 bytes are neither a GRH nor an IPv4 header: pass the whole receive buffer of a datagram");
    }

    private static int u8(MemorySegment header, long at) {
        return header.get(ValueLayout.JAVA_BYTE, at) & 0xff;
    }

    private static Gid gid(MemorySegment header, long at) {
        return Gid.of(header.asSlice(at, 16).toArray(ValueLayout.JAVA_BYTE));
    }

    private static Gid mapped(MemorySegment header, long at) {
        byte[] gid = new byte[16];
        gid[10] = -1;
        gid[11] = -1;
        MemorySegment.copy(header, ValueLayout.JAVA_BYTE, at, gid, 12, 4);
        return Gid.of(gid);
    }

    /**
     * Returns the route back to the sender, {@code ibv_init_ah_from_wc(3)}.
     *
     * @param sgidIndex index of the local GID from which to answer
     * @return the route
     */
    public GlobalRoute answer(int sgidIndex) {
        return new GlobalRoute(sgid, flowLabel, sgidIndex, hopLimit, trafficClass);
    }
}
