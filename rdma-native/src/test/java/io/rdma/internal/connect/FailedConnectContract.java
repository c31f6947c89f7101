package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ffi.Verbs;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CmEnd;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.RdmaDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Order in which a failed connect destroys its objects. The connection manager of iWARP holds the queue pair of an
 * identifier, and a device may wait for the end of that before it destroys the queue pair.
 */
abstract class FailedConnectContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.RDMA_CM);
    private static final List<String> RECORDED = List.of("destroyId", "destroyQp");

    private final NewestFirst opened = new NewestFirst();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private volatile boolean asked;
    private volatile boolean refusesMemory; // once asked

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    /** Returns an object whose calls that destroy an identifier or a queue pair are recorded. */
    private <T> T recording(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (RECORDED.contains(method.getName())) {
                        calls.add(method.getName());
                    }
                    if (refusesMemory && asked && method.getName().equals("regMr")) {
                        throw new VerbsException("ibv_reg_mr", Errno.ENOMEM, null);
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        asked |= method.getName().equals("connect");
                        return result instanceof Rdmacm cm ? recording(Rdmacm.class, cm) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    void whatIsHeldGoesBehindItsHolder() {
        RdmaDevice device = TestDevice.assumed(device());
        Verbs recording = recording(Verbs.class, DeviceOf.library(device));
        DeviceResources resources = opened.later(new DeviceResources(DeviceOf.named(recording, device())));
        CmEventChannel channel = opened.later(device.createEventChannel());
        CmIdentifier listener = opened.later(channel.createIdentifier(PortSpace.TCP));
        listener.bind(new InetSocketAddress(host(), 0));
        listener.listen(8);

        ConnectOutcome outcome = ConnectOutcome.of(resources, OPTIONS, listener.localAddress());
        await().atMost(PATIENCE).until(() -> channel.await(100));
        CmEvent event = channel.take();
        assertThat(event).isNotNull();
        CmIdentifier request = opened.later(event.identifier());
        opened.later(CmEnd.of(request));
        byte[] ofAnotherVersion =
                ByteBuffer.allocate(20).putInt(0x4a52444d).putShort((short) 77).array();
        request.accept(ConnectionParameters.DEFAULT.withPrivateData(ofAnotherVersion));

        assertThatThrownBy(() -> outcome.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join())
                .cause()
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> assertThat(e.reason()).as("%s", e).isEqualTo(Reason.VERSION_MISMATCH));
        assertOrder(device);
    }

    private void assertOrder(RdmaDevice device) {
        assertThat(calls).isEqualTo(device.isIwarp() ? RECORDED : RECORDED.reversed());
    }

    /** The endpoint is made when the manager holds the queue pair, and its memory comes late. */
    @Test
    void anEndpointWithoutMemoryLeavesTheQueuePairToItsHolder() {
        RdmaDevice device = TestDevice.assumed(device());
        Verbs recording = recording(Verbs.class, DeviceOf.library(device));
        DeviceResources resources = opened.later(new DeviceResources(DeviceOf.named(recording, device())));
        DeviceResources serving = opened.later(new DeviceResources(TestDevice.assumed(device())));
        RdmaListener listener = opened.later(RdmaListener.bind(
                serving, OPTIONS, AdmissionLimits.DEFAULT, new InetSocketAddress(host(), 0), connection -> {}));
        refusesMemory = true;
        assertThatThrownBy(() -> ConnectOutcome.of(resources, OPTIONS, listener.address())
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join())
                .hasStackTraceContaining("ibv_reg_mr");
        assertOrder(device);
    }
}
