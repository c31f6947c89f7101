package io.rdma.verbs;

import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The reply addresses of the senders of datagrams to a queue pair, computed as {@code ibv_init_ah_from_wc(3)} does but
 * without a query of the device for each datagram. A reply leaves from the GID that the datagram was sent to. If that
 * was a multicast group, it leaves from the GID of the queue pair.
 */
public final class SenderAddresses {
    private final int port;
    private final int sgidIndex;
    private final int qkey;
    private final UnaryOperator<AddressHandleAttributes> change;
    private final Map<Gid, Integer> indexes = new HashMap<>();

    /**
     * Reads the GID table.
     *
     * @param context device
     * @param port port of the queue pair, from 1
     * @param sgidIndex index of the GID that replies are sent from if the datagram names none of the port's GIDs
     * @param qkey QKey assumed for every sender, because a datagram does not carry the QKey of its sender
     */
    public SenderAddresses(DeviceContext context, int port, int sgidIndex, int qkey) {
        this(context, port, sgidIndex, qkey, UnaryOperator.identity());
    }

    /**
     * Reads the GID table.
     *
     * @param context device
     * @param port port of the queue pair, from 1
     * @param sgidIndex index of the GID that replies are sent from if the datagram names none of the port's GIDs
     * @param qkey QKey assumed for every sender, because a datagram does not carry the QKey of its sender
     * @param change applied to the path of each reply
     */
    public SenderAddresses(
            DeviceContext context, int port, int sgidIndex, int qkey, UnaryOperator<AddressHandleAttributes> change) {
        this.change = change;
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
     * Returns the reply address. It does not copy hop limit, flow label and traffic class from the sender's header:
     * otherwise a stranger could make every datagram a new path.
     *
     * @param header the 40 bytes in front of the datagram; null if the completion reports that there are none
     * @param qpNumber queue pair of the sender
     * @param lid LID of the sender, InfiniBand only
     * @param serviceLevel service level of the datagram
     * @param pathBits path bits of the LID that the datagram was sent to, InfiniBand only
     * @return the address for a reply
     * @throws IllegalArgumentException if the bytes are not a global routing header
     */
    public DatagramAddress back(@Nullable MemorySegment header, int qpNumber, int lid, int serviceLevel, int pathBits) {
        GlobalRoute route = null;
        if (header != null) {
            GlobalRoutingHeader read = GlobalRoutingHeader.read(header);
            route = GlobalRoute.to(read.sgid(), indexes.getOrDefault(read.dgid(), sgidIndex));
        }
        AddressHandleAttributes path = new AddressHandleAttributes(route, lid, serviceLevel, pathBits, 0, port);
        return new DatagramAddress(change.apply(path), qpNumber, qkey);
    }
}
