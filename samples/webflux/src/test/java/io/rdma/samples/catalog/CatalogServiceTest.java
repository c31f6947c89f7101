package io.rdma.samples.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.spring.boot.http.RdmaHttpServerLifecycle;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.reactive.function.client.WebClient;

/** The service with Spring Boot's actuator, reached over RDMA. */
@Timeout(180)
class CatalogServiceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void actuatorAndObservationsAreAsOverTcp() {
        try (ConfigurableApplicationContext service = CatalogService.run("--server.port=0", "--rdma.http.port=0")) {
            WebClient client = service.getBean(WebClient.Builder.class)
                    .baseUrl("rdma://127.0.0.1:"
                            + service.getBean(RdmaHttpServerLifecycle.class)
                                    .address()
                                    .getPort())
                    .build();
            assertThat(text(client, "/items/42")).contains("item number 42");
            assertThat(text(client, "/actuator/health")).contains("\"status\":\"UP\"");
            assertThat(text(client, "/actuator/metrics/http.server.requests?tag={tag}", "uri:/items/{id}"))
                    .contains("\"statistic\":\"COUNT\",\"value\":1.0");
        }
    }

    private static String text(WebClient client, String path, Object... variables) {
        return client.get()
                .uri(path, variables)
                .retrieve()
                .bodyToMono(String.class)
                .block(PATIENCE);
    }
}
