package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.core.RSocketServer;
import io.rsocket.exceptions.ApplicationErrorException;
import io.rsocket.metadata.WellKnownMimeType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.rsocket.server.RSocketServerCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.RSocketStrategies;
import org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler;
import org.springframework.security.config.annotation.rsocket.EnableRSocketSecurity;
import org.springframework.security.config.annotation.rsocket.RSocketSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.messaging.handler.invocation.reactive.AuthenticationPrincipalArgumentResolver;
import org.springframework.security.rsocket.core.PayloadSocketAcceptorInterceptor;
import org.springframework.security.rsocket.core.SecuritySocketAcceptorInterceptor;
import org.springframework.security.rsocket.metadata.SimpleAuthenticationEncoder;
import org.springframework.security.rsocket.metadata.UsernamePasswordMetadata;
import org.springframework.stereotype.Controller;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;
import reactor.core.publisher.Mono;

/**
 * Tests that the RSocket server over RDMA honours what Spring Boot's server over TCP honours: customizers, and Spring
 * Security by one of them.
 */
class RSocketSecurityTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final MimeType AUTHENTICATION =
            MimeTypeUtils.parseMimeType(WellKnownMimeType.MESSAGE_RSOCKET_AUTHENTICATION.getString());

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaRSocketAutoConfiguration.class))
            .withPropertyValues("rdma.device=soft0", "rdma.rsocket.host=127.0.0.1", "rdma.rsocket.port=0");

    @Controller
    static final class Greetings {
        @MessageMapping("greet")
        Mono<String> greet(String name) {
            return Mono.just("hello " + name);
        }
    }

    /** Beans as Spring Boot's starters for RSocket and its security define them. */
    @Configuration(proxyBeanMethods = false)
    @EnableRSocketSecurity
    static class Secured {
        @Bean
        Greetings greetings() {
            return new Greetings();
        }

        @Bean
        RSocketStrategies strategies() {
            return RSocketStrategies.builder()
                    .encoder(new SimpleAuthenticationEncoder())
                    .build();
        }

        @Bean
        RSocketMessageHandler handler(RSocketStrategies strategies) {
            RSocketMessageHandler handler = new RSocketMessageHandler();
            handler.setRSocketStrategies(strategies);
            handler.getArgumentResolverConfigurer().addCustomResolver(new AuthenticationPrincipalArgumentResolver());
            return handler;
        }

        @Bean
        RSocketServerCustomizer springSecurityRSocketSecurity(SecuritySocketAcceptorInterceptor interceptor) {
            return server -> server.interceptors(registry -> registry.forSocketAcceptor(interceptor));
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(User.withUsername("ada")
                    .password("{noop}lovelace")
                    .roles("USER")
                    .build());
        }

        @Bean
        PayloadSocketAcceptorInterceptor rules(RSocketSecurity security) {
            return security.authorizePayload(
                            all -> all.setup().permitAll().anyRequest().authenticated())
                    .simpleAuthentication(simple -> {})
                    .build();
        }
    }

    private static RSocketRequester requester(ApplicationContext context) {
        return RSocketRequester.builder()
                .rsocketStrategies(context.getBean(RSocketStrategies.class))
                .transport(RdmaClientTransport.create(context.getBean(RdmaClient.class)
                        .host("127.0.0.1")
                        .port(context.getBean(RdmaRSocketServerLifecycle.class)
                                .address()
                                .getPort())));
    }

    private static String greet(RSocketRequester.RequestSpec request) {
        return request.data("you").retrieveMono(String.class).block(PATIENCE);
    }

    @Test
    void aSecuredControllerRefusesTheAnonymousAndServesTheAuthenticated() {
        contexts.withUserConfiguration(Secured.class).run(context -> {
            assertThat(context).hasNotFailed();
            RSocketRequester requester = requester(context);
            try {
                assertThatThrownBy(() -> greet(requester.route("greet")))
                        .isInstanceOf(ApplicationErrorException.class)
                        .hasMessageContaining("Access Denied");
                assertThatThrownBy(() -> greet(requester
                                .route("greet")
                                .metadata(new UsernamePasswordMetadata("ada", "byron"), AUTHENTICATION)))
                        .hasMessageContaining("Invalid Credentials");
                assertThat(greet(requester
                                .route("greet")
                                .metadata(new UsernamePasswordMetadata("ada", "lovelace"), AUTHENTICATION)))
                        .isEqualTo("hello you");
            } finally {
                requester.dispose();
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        final List<String> order = new ArrayList<>();

        @Bean
        @Order(2)
        RSocketServerCustomizer second() {
            return server -> order.add("second");
        }

        @Bean
        @Order(1)
        RSocketServerCustomizer first() {
            return server -> order.add("first");
        }
    }

    @Test
    void customizersAreAppliedInOrderToTheApplicationsOwnServerToo() {
        contexts.withUserConfiguration(Customized.class)
                .withBean(RSocketServer.class, RSocketServer::create)
                .run(context ->
                        assertThat(context.getBean(Customized.class).order).containsExactly("first", "second"));
    }

    @Test
    void withoutSpringBootsRSocketThereAreNoCustomizers() {
        contexts.withClassLoader(new FilteredClassLoader("org.springframework.boot.rsocket"))
                .withBean(RSocketServer.class, RSocketServer::create)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RdmaRSocketServerLifecycle.class)
                        .doesNotHaveBean(RSocketServerChange.class));
    }
}
