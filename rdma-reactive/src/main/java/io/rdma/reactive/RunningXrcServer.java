package io.rdma.reactive;

import io.rdma.connect.AdmissionLimits;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.connect.UsedResources;
import io.rdma.internal.connect.XrcConnections;
import io.rdma.internal.os.StackRoom;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Server for senders of extended reliable connections that listens; made by {@link RdmaXrcServer#bind}. */
final class RunningXrcServer implements DisposableServer {
    private final UsedResources used;
    private final RdmaListener listener;
    private final AtomicBoolean disposed = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Binds. Blocks briefly. */
    RunningXrcServer(Transport transport, AdmissionLimits limits, @Nullable Path domain) {
        this.used = transport.datagramResources();
        this.listener = used.make(resources ->
                XrcConnections.listen(resources, transport.options(), limits, transport.address(), domain));
    }

    @Override
    public InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void dispose() {
        StackRoom.require(StackRoom.CLOSE);
        if (disposed.compareAndSet(false, true)) {
            try {
                listener.close();
            } finally {
                used.releaseBehind(listener, closed);
            }
        }
    }

    @Override
    public boolean isDisposed() {
        return disposed.get();
    }

    @Override
    public Mono<Void> onDispose() {
        return Mono.fromFuture(() -> closed, true);
    }
}
