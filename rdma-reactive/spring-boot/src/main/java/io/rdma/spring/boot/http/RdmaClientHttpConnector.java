package io.rdma.spring.boot.http;

import java.net.URI;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import reactor.core.publisher.Mono;

/**
 * Connector that sends requests to {@code rdma://host:port/path} over RDMA, and all others as before. Behind
 * {@code rdma:} is HTTP, and behind {@code rdmas:} HTTPS. Without a port it is that of {@code http:} or {@code https:}.
 */
public final class RdmaClientHttpConnector implements ClientHttpConnector, SmartLifecycle {
    private static final String RDMA = "rdma";
    private static final String RDMA_TLS = "rdmas";

    private final ReactorClientHttpConnector overRdma;
    private final ClientHttpConnector others;

    /**
     * Creates a connector.
     *
     * @param overRdma connector whose event loops are over RDMA; it starts and stops with this connector
     * @param others connector for addresses with other schemes, which is neither started nor stopped
     */
    public RdmaClientHttpConnector(ReactorClientHttpConnector overRdma, ClientHttpConnector others) {
        this.overRdma = overRdma;
        this.others = others;
    }

    @Override
    public Mono<ClientHttpResponse> connect(
            HttpMethod method, URI uri, Function<? super ClientHttpRequest, Mono<Void>> requestCallback) {
        String http = httpScheme(uri.getScheme());
        return http == null
                ? others.connect(method, uri, requestCallback)
                : overRdma.connect(method, withScheme(uri, http), requestCallback);
    }

    /** Returns the scheme of HTTP that a scheme stands for, null for one that is not of RDMA. */
    private static @Nullable String httpScheme(@Nullable String scheme) {
        if (scheme == null) {
            return null;
        }
        return switch (scheme.toLowerCase(Locale.ROOT)) {
            case RDMA -> "http";
            case RDMA_TLS -> "https";
            default -> null;
        };
    }

    /** Returns an address whose other parts are as they were, with their percent signs. */
    private static URI withScheme(URI uri, String scheme) {
        return URI.create(scheme + uri.toString().substring(uri.getScheme().length()));
    }

    @Override
    public void start() {
        overRdma.start();
    }

    @Override
    public void stop() {
        overRdma.stop();
    }

    @Override
    public boolean isRunning() {
        return overRdma.isRunning();
    }

    @Override
    public int getPhase() {
        return overRdma.getPhase();
    }
}
