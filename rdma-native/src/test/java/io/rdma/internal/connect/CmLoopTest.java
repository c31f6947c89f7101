package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaConnectException;
import io.rdma.environment.Environment;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.types.CmEventType;
import io.rdma.types.RdmaException;
import io.rdma.verbs.CmChannelOf;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Event loop of the connection manager. An exception of one handler does not affect the others. An exception that ends
 * the thread is reported to all handlers.
 */
class CmLoopTest {
    private static final InetSocketAddress SOMEWHERE = new InetSocketAddress("127.0.0.1", 7);

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final CmEventChannel channel = CmChannelOf.failing(FaultySoft.create(0, 0, 0, 1), failure);
    private final CmLoop loop = new CmLoop(channel, "soft0", Environment.SYSTEM, failures::incrementAndGet);

    @AfterEach
    void close() {
        loop.close();
    }

    /** Handler that keeps the events and errors that it receives. */
    private static class Handler implements CmEventHandler {
        final CompletableFuture<CmEvent> received = new CompletableFuture<>();
        final CompletableFuture<Throwable> lost = new CompletableFuture<>();
        private final Consumer<CmEvent> first;

        Handler(Consumer<CmEvent> first) {
            this.first = first;
        }

        @Override
        public void accept(CmEvent event) {
            first.accept(event);
            received.complete(event);
        }

        @Override
        public void lost(Throwable cause) {
            lost.complete(cause);
        }
    }

    private void resolve(Handler handler) {
        CmIdentifier identifier = loop.create(handler);
        identifier.resolveAddress(null, SOMEWHERE, Duration.ofSeconds(2));
    }

    @Test
    void anErrorOfOneHandlerDoesNotReachTheOthers() throws Exception {
        Error thrown = new AssertionError("a handler's");
        Handler bad = new Handler(event -> {
            throw thrown;
        });
        Handler good = new Handler(event -> {});
        resolve(bad);
        resolve(good);
        assertThat(bad.lost.get(60, TimeUnit.SECONDS)).isSameAs(thrown);
        assertThat(good.received.get(60, TimeUnit.SECONDS).type()).isEqualTo(CmEventType.ADDR_RESOLVED);
    }

    @Test
    void aFailedLoopNotifiesEveryHandlerAndCreatesNoIdentifier() throws Exception {
        Handler waiting = new Handler(event -> {});
        Handler bad = new Handler(event -> {}) {
            @Override
            public void lost(Throwable cause) {
                super.lost(cause);
                throw new IllegalStateException("a handler's");
            }
        };
        loop.create(bad);
        loop.create(waiting);
        Error end = new OutOfMemoryError("a test's");
        failure.set(end);
        channel.wake();
        assertThat(waiting.lost.get(60, TimeUnit.SECONDS)).isSameAs(end);
        assertThat(bad.lost.get(60, TimeUnit.SECONDS)).isSameAs(end);
        assertThat(failures)
                .as("the device's owner is notified, before the handlers")
                .hasValue(1);
        assertThatThrownBy(() -> loop.create(waiting))
                .isInstanceOf(RdmaException.class)
                .hasRootCause(end)
                .hasMessageContaining("close these resources");
        assertThatThrownBy(loop::requireLive).isInstanceOf(RdmaException.class).hasCause(end);
    }

    @Test
    void aConnectThatWaitsFailsWithTheCause() {
        CmDialog dialog = new CmDialog(Environment.SYSTEM, "the peer", Duration.ofSeconds(60));
        loop.create(dialog);
        Error end = new InternalError("a test's");
        failure.set(end);
        channel.wake();
        assertThatThrownBy(() -> dialog.await(CmEventType.ADDR_RESOLVED))
                .isInstanceOf(RdmaConnectException.class)
                .hasCause(end);
    }
}
