package io.rdma.spring.boot.http;

import io.micrometer.common.KeyValue;
import io.rdma.connect.RdmaResources;
import io.rdma.netty.reactor.RdmaLoopResources;
import io.rdma.spring.boot.RdmaAutoConfiguration;
import io.rdma.spring.boot.RdmaOptions;
import io.rdma.spring.boot.RdmaProperties;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import io.rdma.spring.boot.internal.OptionalType;
import java.util.Objects;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.reactor.netty.NettyRouteProvider;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.web.reactive.function.client.ClientRequestObservationConvention;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.http.server.HttpServer;

/**
 * Auto-configuration of HTTP over RDMA, if {@code rdma-netty} and WebFlux are on the class path. At
 * {@code rdma.http.port} the handlers of the application are served over RDMA, beside its web server. Its
 * {@link WebClient} reaches addresses like {@code rdma://host:port} over RDMA.
 */
@AutoConfiguration(
        after = RdmaAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration",
            "org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration"
        })
@ConditionalOnRdmaEnabled
@ConditionalOnBean(RdmaResources.class)
public final class RdmaHttpAutoConfiguration {
    /** Name of the bean with the event loops. Only injections by this name get it. */
    private static final String LOOPS = "rdmaReactorResourceFactory";

    private static final String SERVER = "rdmaHttpServerLifecycle";

    /** Filter of Spring Security, which is a bean if the application secures its handlers. */
    private static final String SECURITY = "org.springframework.security.web.server.WebFilterChainProxy";

    RdmaHttpAutoConfiguration() {}

    /** Configuration of the event loops, which open the device when a server or a client first needs them. */
    @Order(1)
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RdmaLoopResources.class, ReactorResourceFactory.class, HttpServer.class})
    static class Loops {
        @Bean(name = LOOPS, defaultCandidate = false)
        @ConditionalOnMissingBean(name = LOOPS)
        ReactorResourceFactory rdmaReactorResourceFactory(
                RdmaProperties properties, RdmaOptions options, RdmaResources resources) {
            return HttpOverRdma.loops(properties.http(), options, resources);
        }
    }

    /** Configuration of the server. */
    @Order(2)
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("rdma.http.port")
    @ConditionalOnClass({NettyReactiveWebServerFactory.class, HttpHandler.class})
    @ConditionalOnBean(name = LOOPS, value = HttpHandler.class)
    static class Server {
        private final RdmaProperties.Http properties;
        private final RdmaOptions options;
        private final ReactorResourceFactory loops;

        Server(RdmaProperties properties, RdmaOptions options, @Qualifier(LOOPS) ReactorResourceFactory loops) {
            this.properties = properties.http();
            this.options = options;
            this.loops = loops;
        }

        @Bean(name = SERVER)
        @ConditionalOnMissingBean
        RdmaHttpServerLifecycle rdmaHttpServerLifecycle(
                HttpHandler handler,
                RdmaResources resources,
                ObjectProvider<NettyRouteProvider> routes,
                ObjectProvider<NettyServerCustomizer> customizers,
                AutowireCapableBeanFactory factory,
                ListableBeanFactory beans) {
            NettyReactiveWebServerFactory servers = new NettyReactiveWebServerFactory();
            routes.orderedStream().forEach(servers::addRouteProviders);
            customizers.orderedStream().forEach(servers::addServerCustomizers);
            // Applies the customizers that the factory of the other web server has, and with them server.*.
            factory.initializeBean(servers, "rdmaReactiveWebServerFactory");
            servers.addServerCustomizers(server -> HttpOverRdma.configured(server, options));
            servers.setResourceFactory(loops);
            return new RdmaHttpServerLifecycle(
                    servers,
                    handler,
                    HttpOverRdma.address(properties),
                    resources,
                    options.server(),
                    OptionalType.hasBean(beans, SECURITY));
        }
    }

    /** Refuses a port at which nothing can be served. */
    @Order(3)
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("rdma.http.port")
    @ConditionalOnMissingBean(name = SERVER)
    static class Refused {
        Refused(RdmaProperties properties) {
            throw new InvalidConfigurationPropertyValueException(
                    "rdma.http.port",
                    Objects.requireNonNullElse(properties.http().port(), ""),
                    "Add rdma-netty and spring-boot-starter-webflux: a web server over RDMA needs both, and serves handlers"
                            + " of WebFlux on Reactor Netty. Or remove the property.");
        }
    }

    /** Configuration of the observations of clients. */
    @Order(2)
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ClientRequestObservationConvention.class, KeyValue.class})
    @ConditionalOnBean(name = LOOPS)
    static class Observing {
        @Bean
        @ConditionalOnMissingBean(ClientRequestObservationConvention.class)
        RdmaClientRequestObservationConvention rdmaClientRequestObservationConvention(
                @Value("${management.observations.http.client.requests.name:http.client.requests}") String name) {
            return new RdmaClientRequestObservationConvention(name);
        }
    }

    /** Configuration of clients. */
    @Order(2)
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClient.class, WebClientCustomizer.class, ClientHttpConnectorBuilder.class})
    @ConditionalOnBean(name = LOOPS)
    static class Client {
        /** Returns a connector that does not replace that of the application: it is no candidate for injections. */
        @Bean(defaultCandidate = false)
        @ConditionalOnMissingBean
        RdmaClientHttpConnector rdmaClientHttpConnector(
                @Qualifier(LOOPS) ReactorResourceFactory loops,
                RdmaOptions options,
                ObjectProvider<HttpClientSettings> settings,
                ObjectProvider<ClientHttpConnector> others) {
            ReactorClientHttpConnector overRdma = ClientHttpConnectorBuilder.reactor()
                    .withReactorResourceFactory(loops)
                    .withHttpClientCustomizer(client -> HttpOverRdma.configured(client, options))
                    .build(settings.getIfAvailable(HttpClientSettings::defaults));
            return new RdmaClientHttpConnector(
                    overRdma,
                    others.getIfAvailable(
                            () -> ClientHttpConnectorBuilder.detect().build()));
        }

        /** Returns a customizer whose place is directly behind the one that sets the application's own connector. */
        @Bean
        @Order(1)
        WebClientCustomizer rdmaWebClientCustomizer(
                @Qualifier("rdmaClientHttpConnector") RdmaClientHttpConnector connector) {
            return builder -> builder.clientConnector(connector);
        }
    }
}
