package io.rdma.samples.simulation.world;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

/** The Reactor front-end on a host. */
final class ReactorFrontEnd implements FrontEnd {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Host host;
    private final Verdict verdict;

    ReactorFrontEnd(Host host, Verdict verdict) {
        this.host = host;
        this.verdict = verdict;
    }

    @Override
    public Call<Link> connect(String name, Setup setup) {
        Mono<Link> connected = RdmaClient.create()
                .resources(setup.resources())
                .options(setup.options())
                .host(setup.address().getAddress().getHostAddress())
                .port(setup.address().getPort())
                .connect()
                .doOnDiscard(RdmaConnection.class, RdmaConnection::dispose)
                .map(this::link);
        return Recorder.one(verdict, host, name, connected);
    }

    private Link link(RdmaConnection connection) {
        return new ReactorLink(connection, host, verdict);
    }

    @Override
    public Service bind(Setup setup, Handler handler) {
        DisposableServer server = RdmaServer.create()
                .resources(setup.resources())
                .options(setup.options())
                .host(setup.address().getAddress().getHostAddress())
                .port(setup.address().getPort())
                .handle(connection -> handle(connection, handler))
                .bindNow(PATIENCE);
        return () -> {
            server.dispose();
            return Recorder.one(verdict, host, "server stops", server.onDispose());
        };
    }

    private Mono<Void> handle(RdmaConnection connection, Handler handler) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        host.run("handler", () -> {
            try {
                handler.serve(link(connection));
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return Mono.fromFuture(done);
    }
}
