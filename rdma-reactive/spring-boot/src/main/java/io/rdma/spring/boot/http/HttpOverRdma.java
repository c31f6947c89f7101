package io.rdma.spring.boot.http;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.netty.RdmaChannelOption;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.netty.reactor.RdmaLoopResources;
import io.rdma.spring.boot.RdmaOptions;
import io.rdma.spring.boot.RdmaProperties;
import io.rdma.types.QueuePairCapacity;
import io.rdma.verbs.RdmaDevices;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Properties {@code rdma.*} as options of event loops, clients and servers of Reactor Netty. */
final class HttpOverRdma {
    private static final int MAX_PORT = 65_535;
    private static final String THREADS = "http";

    private HttpOverRdma() {}

    /** Returns event loops on the device of some resources. They are made when they are first needed. */
    static ReactorResourceFactory loops(RdmaProperties.Http properties, RdmaOptions options, RdmaResources resources) {
        RdmaIoOptions io = RdmaIoOptions.DEFAULT
                .withDevice(RdmaDevices.named(resources.context().name()))
                .withResources(options.resources());
        Integer count = properties.eventLoops();
        if (count != null && count < 1) {
            throw new InvalidConfigurationPropertyValueException(
                    "rdma.http.event-loops", count, "Set 1 or more, or remove the property.");
        }
        ReactorResourceFactory factory = new ReactorResourceFactory();
        factory.setUseGlobalResources(false);
        factory.setLoopResourcesSupplier(() -> count == null
                ? RdmaLoopResources.create(THREADS, io)
                : RdmaLoopResources.create(THREADS, count, true, io));
        factory.setShutdownQuietPeriod(Duration.ZERO); // clients and servers have ended by then
        return factory;
    }

    /** Returns a server with the options of connections and the limits of clients. */
    static HttpServer configured(HttpServer server, RdmaOptions options) {
        return server.option(RdmaChannelOption.CONNECTION_OPTIONS, gathering(options.server()))
                .option(RdmaChannelOption.ADMISSION_LIMITS, options.limits());
    }

    /** Returns a client with the options of connections. */
    static HttpClient configured(HttpClient client, RdmaOptions options) {
        return client.option(RdmaChannelOption.CONNECTION_OPTIONS, gathering(options.client()));
    }

    /** Returns options with which a message is gathered from several buffers, as without these properties. */
    private static ConnectionOptions gathering(ConnectionOptions options) {
        QueuePairCapacity capacity = options.queuePair();
        int usual = RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.queuePair().maxSendSge();
        return options.withQueuePair(capacity.withMaxSendSge(Math.max(usual, capacity.maxSendSge())));
    }

    /** Returns the address that properties give the server. */
    static InetSocketAddress address(RdmaProperties.Http properties) {
        Integer port = properties.port();
        if (port == null || port < 0 || port > MAX_PORT) {
            throw refused("port", port, "Set a port up to " + MAX_PORT + ", 0 for a free one, or remove the property.");
        }
        String host = properties.listeningHost();
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw refused("host", host, "Set a name or address of this host. " + e.getMessage() + ".");
        }
    }

    private static InvalidConfigurationPropertyValueException refused(
            String property, @Nullable Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(
                "rdma.http." + property, Objects.requireNonNullElse(value, ""), reason);
    }
}
