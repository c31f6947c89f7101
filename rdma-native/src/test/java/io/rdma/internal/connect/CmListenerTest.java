package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import io.rdma.verbs.DeviceOf;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that a listener of RDMA CM refuses, on a device that cannot reject them. */
class CmListenerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.RDMA_CM);

    private static void connect(DeviceResources resources, RdmaListener listener) {
        ConnectOutcome.of(resources, OPTIONS, listener.address())
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static long requests(FaultySeam seam) {
        return seam.left().stream()
                .filter(one -> one.contains("id of a connection request"))
                .count();
    }

    @Test
    void aRequestWhoseRejectionThrowsIsFreedAndReported() {
        FaultySeam seam =
                new FaultySeam(SoftVerbs.shared(), List.of(new SeamFault("Rdmacm.reject", 1, SeamFault.Kind.ERROR)));
        try (DeviceResources serving = new DeviceResources(seam.device("soft0"));
                DeviceResources asking = new DeviceResources(TestDevice.assumed("soft0"));
                CapturedLog log = new CapturedLog(RdmaListener.class.getName());
                RdmaListener listener = RdmaListener.bind(
                        serving,
                        OPTIONS,
                        AdmissionLimits.DEFAULT.withConnections(1),
                        new InetSocketAddress("127.0.0.1", 0),
                        connection -> {})) {
            connect(asking, listener);
            assertThatThrownBy(() -> connect(asking, listener)).hasCauseInstanceOf(RdmaConnectException.class);
            await().atMost(PATIENCE).until(() -> requests(seam) == 1); // of the connection that was admitted
            await().atMost(PATIENCE).until(() -> log.has("the most that it admits"));
        }
        await().atMost(PATIENCE).until(() -> seam.left().isEmpty());
    }

    /** Returns an object of which one method is replaced. */
    private static <T> T with(Class<T> type, T real, String replaced, Function<Object[], @Nullable Object> by) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals(replaced)) {
                        return by.apply(arguments);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    @SuppressWarnings("try") // connections are closed behind the listener
    void aRequestWithoutAThreadLeavesAServerThatCanBeClosed() {
        AtomicBoolean refused = new AtomicBoolean();
        Environment environment = with(Environment.class, Environment.SYSTEM, "start", arguments -> {
            if (arguments[0].equals("rdma-accept") && refused.compareAndSet(false, true)) {
                throw new OutOfMemoryError("unable to create a thread: a test's");
            }
            Environment.SYSTEM.start((String) arguments[0], (Runnable) arguments[1]);
            return null;
        });
        Verbs verbs = with(Verbs.class, SoftVerbs.shared(), "environment", arguments -> environment);
        try (DeviceResources serving = new DeviceResources(DeviceOf.named(verbs, "soft0"));
                DeviceResources asking = new DeviceResources(TestDevice.assumed("soft0"));
                CapturedLog log = new CapturedLog(CmLoop.class.getName());
                RdmaListener listener = RdmaListener.bind(
                        serving,
                        OPTIONS,
                        AdmissionLimits.DEFAULT,
                        new InetSocketAddress("127.0.0.1", 0),
                        connection -> {})) {
            assertThatThrownBy(() -> connect(asking, listener)).hasCauseInstanceOf(RdmaConnectException.class);
            assertThat(refused).isTrue();
            assertThat(log.has("the handler of")).isTrue();
            connect(asking, listener);
            listener.close();
            assertThat(CompletableFuture.runAsync(listener::closeConnections)).succeedsWithin(PATIENCE);
        }
    }
}
