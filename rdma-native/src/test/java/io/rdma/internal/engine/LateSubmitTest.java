package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Operations that are submitted behind the close, on the thread of the caller. */
class LateSubmitTest extends FaultyConnectedContract {
    private static Operation throwing(RegisteredBuffer buffer, CompletableFuture<Throwable> failure) {
        return new Operation(WorkRequest.send(buffer, true)) {
            @Override
            protected void completed(long value) {
                failure.complete(new AssertionError("sent"));
            }

            @Override
            protected void failed(RuntimeException error) {
                failure.complete(error);
                throw new IllegalStateException("a test's");
            }
        };
    }

    /** The operation has ended when its listener throws. A caller to which that came would end it a second time. */
    @Test
    void whatAListenerThrowsDoesNotReachTheCallerOfTheSubmit() {
        connect(small());
        CompletionLoop loop = client.loop();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        RegisteredBuffer buffer = acquire(client).limit(8);
        client.close();
        client.submit(throwing(buffer, failure));
        assertThat(failure.join()).isInstanceOf(ConnectionClosedException.class);
        assertThat(loop.counters().listenerErrors()).isEqualTo(1);
        client.closed().join();
        assertThat(client.sendBuffers().leased()).isZero();
        resources.close();
        resources = null; // so that its errors of listeners are not checked
    }

    @Test
    void aLargeMessageIsNotRegistered() {
        connect(small());
        MemoryRegion region = client.memory().allocate(4096, Set.of(AccessFlag.LOCAL_WRITE));
        RegisteredBuffer large = RegisteredBuffer.of(region, 0, 4096);
        client.close();
        faults.nextThrows.put("regMr", new AssertionError("registered"));
        assertThat(submit(client, WorkRequest.send(large, true)).ended().error)
                .isInstanceOf(ConnectionClosedException.class);
        assertThat(faults.nextThrows.remove("regMr")).isNotNull();
    }
}
