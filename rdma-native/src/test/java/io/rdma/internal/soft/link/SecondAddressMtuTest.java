package io.rdma.internal.soft.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.environment.Environment;
import io.rdma.environment.Network;
import io.rdma.internal.ibv.Ibv;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Path MTU of a device with two addresses on interfaces of different MTUs. */
class SecondAddressMtuTest {
    private static final InetAddress FIRST = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress SECOND = InetAddress.ofLiteral("192.0.2.2");

    private static <T> T proxy(Class<T> type, String name, java.util.function.Function<Object[], Object> result) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            assertThat(method.getName()).isEqualTo(name);
            return result.apply(given);
        }));
    }

    private static int mtu(int first, int second, boolean two) {
        Network network = proxy(Network.class, "mtu", given -> given[0].equals(FIRST) ? first : second);
        SoftConfig config = SoftConfig.at(FIRST, 4791)
                .within(proxy(Environment.class, "network", given -> network), LinkSockets.SYSTEM);
        return config.withSecondAddress(two ? SECOND : null).activeMtu();
    }

    @Test
    void theSmallerInterfaceDecides() {
        assertThat(mtu(9000, 1500, false)).isEqualTo(Ibv.MTU_4096);
        assertThat(mtu(9000, 1500, true)).isEqualTo(Ibv.MTU_1024);
        assertThat(mtu(1500, 9000, true)).isEqualTo(Ibv.MTU_1024);
        assertThat(mtu(9000, 9000, true)).isEqualTo(Ibv.MTU_4096);
    }
}
