package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.objects.SoftLimits;
import io.rdma.types.Gid;
import io.rdma.types.PortState;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Device with two ports and one GID of RoCE for each. It answers queries, and does nothing else. */
public final class TwoPorts {
    private static final int PORTS = 2;

    private final PortState[] states = {PortState.ACTIVE, PortState.ACTIVE};
    private final List<GidEntry> gids = new ArrayList<>();
    private final DeviceAttr attributes;

    /**
     * Creates the device.
     *
     * @param gids address of the GID of each port
     */
    public TwoPorts(InetAddress... gids) throws ReflectiveOperationException {
        for (int i = 0; i < PORTS; i++) {
            this.gids.add(new GidEntry(Gid.of(gids[i]).bytes(), 0, i + 1, Ibv.GID_TYPE_ROCE_V2, 0));
        }
        try (DeviceContext other = RdmaDevices.named("soft0").open()) {
            attributes = with(other.verbs.queryDevice(other.handle()), "physPortCnt", PORTS);
        }
    }

    private static <R extends Record> R with(R of, String name, int value) throws ReflectiveOperationException {
        RecordComponent[] components = of.getClass().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = components[i].getName().equals(name)
                    ? value
                    : components[i].getAccessor().invoke(of);
        }
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        @SuppressWarnings("unchecked")
        Class<R> type = (Class<R>) of.getClass();
        return type.getDeclaredConstructor(types).newInstance(values);
    }

    /** Changes the state of a port. */
    public void set(int port, PortState state) {
        states[port - 1] = state;
    }

    /** Returns the device, open. */
    public DeviceContext context() {
        Verbs verbs = (Verbs) Proxy.newProxyInstance(
                Verbs.class.getClassLoader(), new Class<?>[] {Verbs.class}, (self, method, given) -> {
                    return switch (method.getName()) {
                        case "queryDevice" -> attributes;
                        case "queryGidTable" -> gids;
                        case "isSoftware" -> false;
                        case "queryPort" ->
                            with(SoftLimits.port(true, Ibv.MTU_1024, 1, 0), "state", states[(int) given[1] - 1].code());
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
        return new DeviceContext(verbs, 1, "two0", Ibv.TRANSPORT_IB);
    }
}
