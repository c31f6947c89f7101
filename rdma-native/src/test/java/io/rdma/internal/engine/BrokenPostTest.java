package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.AccessFlag;
import io.rdma.types.VerbsException;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Unusual events while one thread posts the operations of all threads, with timeouts too long to be added to a clock.
 */
class BrokenPostTest extends FaultyConnectedContract {
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /**
     * Posts the bind of one thread on another thread. The bind completes, and its window is closed, before that post
     * returns.
     */
    @Test
    void aWindowMayBeClosedBeforeItsPostReturns() {
        connect(small().withDrainTimeout(FOREVER).withHandshakeTimeout(FOREVER));
        MemoryRegion region = client.memory().allocate(64, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        CompletableFuture<Void> queued = new CompletableFuture<>();
        CompletableFuture<Void> windowClosed = new CompletableFuture<>();
        CompletableFuture<Void> posts = new CompletableFuture<>();
        Iterator<CompletableFuture<Void>> waits = List.of(queued, windowClosed).iterator();
        faults.behindPost = () -> {
            if (Thread.currentThread().getName().equals("poster") && waits.hasNext()) {
                posts.complete(null);
                waits.next().join();
            }
        };
        CompletableFuture<Counted> write = new CompletableFuture<>();
        Thread.ofPlatform().name("poster").start(() -> {
            try {
                write.complete(submit(client, WorkRequest.write(source, there.remote())));
            } catch (Throwable t) {
                write.completeExceptionally(t);
            }
        });
        assertThat(posts).succeedsWithin(PATIENCE);
        client.memory().bind(region, 0, 64, Set.of(AccessFlag.REMOTE_READ)).thenAccept(window -> {
            window.close();
            windowClosed.complete(null);
        });
        queued.complete(null);
        assertThat(windowClosed).succeedsWithin(PATIENCE);
        assertThat(write).as("the thread that posted for the other").succeedsWithin(PATIENCE);
        assertThat(write.join().ended().error).isNull();
        assertThat(client.isClosing()).isFalse();
        assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                .isNull();
        source.close();
        client.close();
        assertThat(client.closed()).succeedsWithin(PATIENCE);
    }

    @Test
    void resourcesCannotBeCreatedIfTheirSharedReceivesAreRefused() {
        resources.close();
        resources = null;
        faults.refuseSharedReceives = true;
        assertThatThrownBy(() ->
                        new DeviceResources(faults.device(), resourceOptions().withSharedReceiveBuffers(16, 256)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_post_");
    }

    @Test
    void aRefusedPostOfSharedReceivesEndsTheLoop() {
        resources.close();
        resources = new DeviceResources(faults.device(), resourceOptions().withSharedReceiveBuffers(16, 256));
        connect(small());
        faults.refuseSharedReceives = true;
        for (int i = 0; i < 8; i++) {
            Counted sent = new Counted(WorkRequest.send(acquire(client).limit(8), true));
            client.submit(sent);
            if (sent.ended().error == null) {
                next(server.receives()::poll).close();
            }
            if (server.isClosing()) {
                break;
            }
        }
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(List.of(server.failure(), client.failure())).allMatch(VerbsException.class::isInstance);
        assertThatThrownBy(() -> connect(small())).hasMessageContaining("has failed");
        assertThat(CompletableFuture.runAsync(resources::close)).succeedsWithin(PATIENCE);
    }
}
