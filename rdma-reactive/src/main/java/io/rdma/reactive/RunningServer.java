package io.rdma.reactive;

import io.rdma.connect.AdmissionLimits;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.connect.UsedResources;
import io.rdma.internal.os.StackRoom;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// Invariants
// - A connection is in `connections` until it is closed and drained. A handler that fails ends its own connection only.
// - A handler that outlives its connection, to finish its work, is not cancelled until the server is disposed.
// - dispose() runs once. It closes the listener, then the connections, then releases the resources, which wait for the
// connections that remain.

/** Server that is bound and accepts connections; made by {@link RdmaServer#bind}. */
final class RunningServer implements DisposableServer {
    private final Transport transport;
    private final ServerHooks hooks;
    private final Function<? super RdmaConnection, ? extends Publisher<Void>> handler;
    private final UsedResources used;
    private final RdmaListener listener;
    private final Set<RdmaConnection> connections = ConcurrentHashMap.newKeySet();
    private final Disposable.Composite handlers = Disposables.composite();
    private final AtomicBoolean disposed = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Binds. Blocks briefly. */
    RunningServer(
            Transport transport,
            AdmissionLimits limits,
            ServerHooks hooks,
            Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        this.transport = transport;
        this.hooks = hooks;
        this.handler = handler;
        this.used = transport.resources();
        this.listener = used.make(resources ->
                RdmaListener.bind(resources, transport.options(), limits, transport.address(), this::serve));
    }

    private void serve(EstablishedConnection established) {
        RdmaConnection connection = transport.connection(established, () -> {});
        try {
            serve(established, connection);
        } catch (Throwable e) { // such as a LinkageError of the handler, which Reactor throws on
            connection.abort(e);
            throw e;
        }
    }

    private void serve(EstablishedConnection established, RdmaConnection connection) {
        connections.add(connection);
        established.endpoint().closed().thenRun(() -> connections.remove(connection));
        Disposable.Swap running = Disposables.swap();
        handlers.add(running); // disposed at once if the composite is disposed already
        running.update(Flux.<Void>defer(() -> {
                    RdmaConnection viewed = transport.viewed(connection);
                    hooks.connection(viewed);
                    return handler.apply(viewed);
                })
                .doOnError(connection::abort)
                .doFinally(how -> {
                    connection.dispose();
                    handlers.remove(running);
                })
                .subscribe(nothing -> {}, error -> {
                    log().log(Logger.Level.WARNING, "the handler of " + connection + " failed: " + error);
                    log().log(Logger.Level.DEBUG, "details", error);
                }));
    }

    @Override
    public InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void dispose() {
        StackRoom.require(StackRoom.CLOSE);
        if (disposed.compareAndSet(false, true)) {
            CloseSteps steps = new CloseSteps().run(listener::close);
            connections.forEach(connection -> steps.run(connection::dispose));
            steps.run(handlers::dispose)
                    .run(() -> used.releaseBehind(listener, closed))
                    .report();
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

    private static Logger log() {
        return System.getLogger(RunningServer.class.getName());
    }
}
