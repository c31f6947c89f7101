package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.ffi.MemoryVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.QueuePairType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Resources that page memory on demand, on a device that can do so for reliable connections alone. */
class OnDemandWishTest {
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

    private DeviceResources resources;

    @BeforeEach
    void open() {
        TestDevice.onDemand("soft0").close();
        Verbs real = SoftVerbs.shared();
        MemoryVerbs memory = (MemoryVerbs) Proxy.newProxyInstance(
                MemoryVerbs.class.getClassLoader(),
                new Class<?>[] {MemoryVerbs.class},
                (self, method, given) -> method.getName().equals("queryDeviceEx")
                        ? reliableOnly(real.memory().queryDeviceEx((long) given[0]))
                        : invoke(real.memory(), method, given));
        Verbs verbs = (Verbs) Proxy.newProxyInstance(
                Verbs.class.getClassLoader(),
                new Class<?>[] {Verbs.class},
                (self, method, given) -> method.getName().equals("memory") ? memory : invoke(real, method, given));
        resources = new DeviceResources(DeviceOf.only(verbs), ResourceOptions.DEFAULT.withOnDemand(true));
    }

    private static DeviceAttrEx reliableOnly(DeviceAttrEx all) {
        return new DeviceAttrEx(all.generalOdpCaps(), all.rcOdpCaps(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    private static Object invoke(Object on, Method method, Object[] given) throws Throwable {
        try {
            return method.invoke(on, given);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.close();
        }
    }

    private static void refused(String operations, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEVICE))
                .hasMessageContainingAll(operations, "ResourceOptions.withOnDemand");
    }

    private void listen(ConnectionOptions options) {
        RdmaListener.bind(resources, options, AdmissionLimits.DEFAULT, ANY_PORT, accepted -> {})
                .close();
    }

    @Test
    void reliableConnectionsAreMade() {
        listen(OPTIONS);
    }

    @Test
    void unreliableConnectionsAreRefused() {
        ConnectionOptions unreliable = OPTIONS.withQueuePairType(QueuePairType.UC);
        refused("[SEND, RECV, WRITE] of UC", () -> listen(unreliable));
    }

    @Test
    void extendedReliableConnectionsAreRefused() {
        refused("[SRQ_RECV] of XRC_RECV", () -> XrcConnections.receiver(resources, OPTIONS, null));
        refused(
                "[SEND, WRITE, READ] of XRC_SEND",
                () -> XrcConnections.connect(resources, OPTIONS, ANY_PORT, new ConnectOutcome()));
    }

    @Test
    void datagramsAreRefused() {
        refused("[SEND, RECV] of UD", () -> DatagramBinding.bind(resources, OPTIONS, ANY_PORT));
    }
}
