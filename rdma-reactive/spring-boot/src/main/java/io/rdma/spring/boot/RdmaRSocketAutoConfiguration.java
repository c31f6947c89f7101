package io.rdma.spring.boot;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import io.rdma.spring.boot.internal.OptionalType;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.rsocket.server.RSocketServerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler;

/**
 * Auto-configuration of RSocket over RDMA, if {@code rsocket-core} is on the class path: a transport for clients, and a
 * server if {@code rdma.rsocket.port} is set. It uses the parts of Spring Boot's own RSocket support that are present:
 * with {@code spring-boot-starter-rsocket}, controllers with {@code @MessageMapping} are served.
 */
@AutoConfiguration(
        after = RdmaAutoConfiguration.class,
        afterName = "org.springframework.boot.rsocket.autoconfigure.RSocketMessagingAutoConfiguration")
@ConditionalOnRdmaEnabled
@ConditionalOnClass(RSocketServer.class)
public final class RdmaRSocketAutoConfiguration {
    private static final int MIN_FRAME_LENGTH = 64; // RSocket's smallest fragment
    private static final int MIN_PAYLOAD_LIMIT = 1 << 24; // RSocket requires room for its largest frame

    /** Interceptor of Spring Security, which one of the customizers adds to the server. */
    private static final String SECURITY =
            "org.springframework.security.rsocket.core.SecuritySocketAcceptorInterceptor";

    RdmaRSocketAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(RdmaClient.class)
    @ConditionalOnMissingBean
    RdmaClientTransport rdmaClientTransport(RdmaClient client, RdmaProperties properties) {
        RdmaClientTransport transport = RdmaClientTransport.create(client);
        return transport.maxFrameLength(frameLength(properties, transport.maxFrameLength()));
    }

    /**
     * Returns the longest frame that a peer with the same properties receives. RSocket then refuses a request that is
     * too large, instead of the device failing the connection.
     */
    private static int frameLength(RdmaProperties properties, int most) {
        return Math.clamp(maxMessageSize(properties), MIN_FRAME_LENGTH, most);
    }

    private static long maxMessageSize(RdmaProperties properties) {
        return properties.connection().maxMessageSize().toBytes();
    }

    /**
     * Configuration of the server. Spring's messaging answers its requests, or the application's own
     * {@link RSocketServer} does.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("rdma.rsocket.port")
    @ConditionalOnBean({RdmaServer.class, RdmaResources.class})
    static class Server {
        @Order(1)
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(RSocketMessageHandler.class)
        static class Messaging {
            /**
             * Returns a server that leaves payloads in their receive buffers if the decoders can read them there, as
             * Spring Boot does over TCP.
             */
            @Bean
            @ConditionalOnBean(RSocketMessageHandler.class)
            @ConditionalOnMissingBean
            RSocketServer rdmaRSocketServer(RSocketMessageHandler handler, RdmaProperties properties) {
                RSocketServer server = RSocketServer.create(handler.responder())
                        .maxInboundPayloadSize((int) Math.max(MIN_PAYLOAD_LIMIT, maxMessageSize(properties)));
                return handler.getRSocketStrategies().dataBufferFactory() instanceof NettyDataBufferFactory
                        ? server.payloadDecoder(PayloadDecoder.ZERO_COPY)
                        : server;
            }
        }

        /**
         * Applies the customizers that Spring Boot's own RSocket server applies too. Spring Security adds its
         * interceptor through one of them.
         */
        @Order(2)
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(RSocketServerCustomizer.class)
        static class Customizing {
            @Bean
            RSocketServerChange rdmaRSocketServerCustomizers(ObjectProvider<RSocketServerCustomizer> customizers) {
                return server -> customizers.orderedStream().forEach(one -> one.customize(server));
            }
        }

        /** Starts the server. Ordered after the configurations above, because its condition requires their beans. */
        @Order(3)
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnBean(RSocketServer.class)
        static class Listening {
            @Bean
            @ConditionalOnMissingBean
            RdmaRSocketServerLifecycle rdmaRSocketServerLifecycle(
                    RSocketServer rsocket,
                    ObjectProvider<RSocketServerChange> changes,
                    RdmaServer server,
                    RdmaProperties properties,
                    RdmaResources resources,
                    ListableBeanFactory beans) {
                changes.orderedStream().forEach(change -> change.applyTo(rsocket));
                RdmaServer listening = new BoundOptions<>(
                                "rdma.rsocket.",
                                server.host(properties.rsocket().listeningHost()))
                        .set("port", port(properties), RdmaServer::port)
                        .get();
                RdmaServerTransport transport = RdmaServerTransport.create(listening);
                return new RdmaRSocketServerLifecycle(
                        rsocket,
                        transport.maxFrameLength(frameLength(properties, transport.maxFrameLength())),
                        resources,
                        RdmaContextServer.optionsOf(server),
                        OptionalType.hasBean(beans, SECURITY));
            }

            private static int port(RdmaProperties properties) {
                Integer port = properties.rsocket().port();
                if (port == null) { // the condition accepts an empty value as set
                    throw new InvalidConfigurationPropertyValueException(
                            "rdma.rsocket.port", "", "Set a port, 0 for a free one, or remove the property.");
                }
                return port;
            }
        }
    }
}
