package io.rdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ways back to who sent datagrams to a queue pair, as {@code ibv_init_ah_from_wc(3)} finds them, without asking the
 * device each time: from the GID that the datagram was sent to, or, for one to a group, from that of the queue pair.
 */
public final class SenderAddresses {
    private final int port;
    private final int sgidIndex;
    private final int qkey;
    private final Map<Gid, Integer> indexes = new HashMap<>();

    /**
     * Reads the table of GIDs.
     *
     * @param context device
     * @param port of the queue pair, from 1
     * @param sgidIndex of the GID that answers come from if the datagram does not say
     * @param qkey that senders are believed to have, which no datagram says
     */
    public SenderAddresses(DeviceContext context, int port, int sgidIndex, int qkey) {
        this.port = port;
        this.sgidIndex = sgidIndex;
        this.qkey = qkey;
        GidType type = null;
        for (GidTableEntry entry : context.queryGidTable()) {
            if (entry.port() == port && entry.index() == sgidIndex) {
                type = entry.type();
            }
        }
        for (GidTableEntry entry : context.queryGidTable()) {
            if (entry.port() == port && entry.type() == type) {
                indexes.putIfAbsent(entry.gid(), entry.index());
            }
        }
    }

    /**
     * The way back. Hop limit, flow label and traffic class are not the sender's: a stranger could make every datagram
     * a new path.
     *
     * @param header the 40 bytes in front of the datagram; null if its completion said that there are none
     * @param qpNumber of the sender
     * @param lid of the sender, InfiniBand only
     * @param serviceLevel of the datagram
     * @param pathBits of the LID it was sent to, InfiniBand only
     * @return where an answer goes
     * @throws IllegalArgumentException if the header is none
     */
    public DatagramAddress back(@Nullable MemorySegment header, int qpNumber, int lid, int serviceLevel, int pathBits) {
        GlobalRoute route = null;
        if (header != null) {
            GlobalRoutingHeader read = GlobalRoutingHeader.read(header);
            route = GlobalRoute.to(read.sgid(), indexes.getOrDefault(read.dgid(), sgidIndex));
        }
        return new DatagramAddress(
                new AddressHandleAttributes(route, lid, serviceLevel, pathBits, 0, port), qpNumber, qkey);
    }
}
