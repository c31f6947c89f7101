package io.rdma.internal.engine;

import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.QueuePairType;
import java.util.EnumSet;
import java.util.Set;

/** Check that a device can page memory of messages on demand, {@code ResourceOptions.withOnDemand}. */
public final class OnDemandMemory {
    private OnDemandMemory() {}

    /**
     * Checks the memory of reliable connections.
     *
     * @param shared whether they share receive buffers
     * @throws VerbsException EOPNOTSUPP if the device lacks on-demand paging for one of their operations
     */
    static void requireForConnections(DeviceContext context, boolean shared) {
        Set<OnDemandOperation> needed = EnumSet.of(
                OnDemandOperation.SEND, OnDemandOperation.RECV, OnDemandOperation.WRITE, OnDemandOperation.READ);
        if (shared) {
            needed.add(OnDemandOperation.SRQ_RECV);
        }
        require(context.name(), context.queryDeviceExtended(), QueuePairType.RC, needed);
    }

    /**
     * Checks the memory of datagrams, and of connections of other types.
     *
     * @param type of their queue pairs: UD, UC, XRC_SEND or XRC_RECV
     * @throws VerbsException EOPNOTSUPP if the device lacks on-demand paging for one of their operations
     */
    public static void require(DeviceContext context, QueuePairType type) {
        require(
                context.name(),
                context.queryDeviceExtended(),
                type,
                switch (type) {
                    case UD -> EnumSet.of(OnDemandOperation.SEND, OnDemandOperation.RECV);
                    case UC -> EnumSet.of(OnDemandOperation.SEND, OnDemandOperation.RECV, OnDemandOperation.WRITE);
                    case XRC_RECV -> EnumSet.of(OnDemandOperation.SRQ_RECV);
                    default -> EnumSet.of(OnDemandOperation.SEND, OnDemandOperation.WRITE, OnDemandOperation.READ);
                });
    }

    static void require(
            String device, ExtendedDeviceAttributes has, QueuePairType type, Set<OnDemandOperation> needed) {
        Set<OnDemandOperation> lacking = EnumSet.copyOf(needed);
        if (has.onDemand()) {
            lacking.removeAll(
                    switch (type) {
                        case RC -> has.rcOnDemand();
                        case UC -> has.ucOnDemand();
                        case UD -> has.udOnDemand();
                        case XRC_SEND, XRC_RECV -> has.xrcOnDemand();
                    });
        }
        if (!lacking.isEmpty()) {
            throw new VerbsException(
                    "ibv_query_device_ex",
                    Errno.EOPNOTSUPP,
                    device + " has no on-demand paging for " + lacking + " of " + type + " queue pairs: leave out"
                            + " ResourceOptions.withOnDemand, or use resources without it for these");
        }
    }
}
