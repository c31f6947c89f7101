package io.rdma.spring.boot.http;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.spring.boot.RdmaContextServer;
import java.net.InetSocketAddress;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.http.server.reactive.HttpHandler;
import reactor.core.publisher.Mono;

/**
 * Life cycle of the web server over RDMA, which runs from the start of the context to its stop. It stops together with
 * the web server over TCP: requests in progress have {@code spring.lifecycle.timeout-per-shutdown-phase} to end, unless
 * {@code server.shutdown} is {@code immediate}.
 */
public final class RdmaHttpServerLifecycle extends RdmaContextServer<RdmaHttpServerLifecycle.Listening> {
    private final NettyReactiveWebServerFactory servers;
    private final HttpHandler handler;
    private final InetSocketAddress address;
    private final boolean secured;

    /**
     * Creates a server that does not run yet.
     *
     * @param servers makes the web server
     * @param handler answers the requests
     * @param address address to listen on, with port 0 for a free one
     * @param resources open device whose name the log shows
     * @param options options of the connections
     * @param secured whether Spring Security decides about requests
     */
    RdmaHttpServerLifecycle(
            NettyReactiveWebServerFactory servers,
            HttpHandler handler,
            InetSocketAddress address,
            RdmaResources resources,
            ConnectionOptions options,
            boolean secured) {
        super("rdma.http", Listening::address, resources, () -> options);
        this.servers = servers;
        this.handler = handler;
        this.address = address;
        this.secured = secured;
    }

    /**
     * A web server that listens.
     *
     * @param server the web server
     * @param address address with the actual port
     */
    public record Listening(WebServer server, InetSocketAddress address) {}

    @Override
    protected boolean isAuthenticated() {
        return secured || super.isAuthenticated();
    }

    @Override
    protected Listening bind() {
        servers.setAddress(address.getAddress());
        servers.setPort(address.getPort());
        WebServer server = servers.getWebServer(handler);
        try {
            server.start();
        } catch (WebServerException e) {
            throw reason(e);
        }
        return new Listening(server, new InetSocketAddress(address.getAddress(), server.getPort()));
    }

    /** Returns the failure of RDMA behind one of the web server. */
    private static RuntimeException reason(WebServerException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RdmaConnectException known) {
                return known;
            }
        }
        return failure;
    }

    @Override
    protected Mono<Void> close(Listening listening) {
        return Mono.create(sink -> listening.server().shutDownGracefully(result -> {
            try {
                listening.server().stop();
                sink.success();
            } catch (WebServerException e) {
                sink.error(e);
            }
        }));
    }

    @Override
    public int getPhase() {
        return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE;
    }
}
