package io.rdma.samples.simulation.world;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The Reactor front-end on a host. */
final class ReactorFrontEnd implements FrontEnd {
    private final Host host;
    private final Verdict verdict;

    ReactorFrontEnd(Host host, Verdict verdict) {
        this.host = host;
        this.verdict = verdict;
    }

    @Override
    public Call<Link> connect(String name, Setup setup) {
        Mono<Link> connected = client(setup)
                .connect()
                .doOnDiscard(RdmaConnection.class, RdmaConnection::dispose)
                .onErrorMap(setup::judged)
                .map(this::link);
        return Recorder.one(verdict, host, name, connected);
    }

    private static RdmaClient client(Setup setup) {
        return RdmaClient.create()
                .resources(setup.resources())
                .options(setup.options())
                .host(setup.address().getAddress().getHostAddress())
                .port(setup.address().getPort());
    }

    @Override
    public Call<Void> reconnect(String name, Setup setup, int retries, Handler handler) {
        Mono<Void> done = client(setup)
                .reconnect(Retry.fixedDelay(retries, BEFORE_RETRY), connection -> handle(connection, handler))
                .onErrorMap(Exceptions::isRetryExhausted, failure -> Objects.requireNonNull(failure.getCause()))
                .onErrorMap(setup::judged);
        return Recorder.one(verdict, host, name, done);
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
                .bindNow(World.PATIENCE);
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
