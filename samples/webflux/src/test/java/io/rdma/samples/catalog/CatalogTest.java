package io.rdma.samples.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.samples.latencies.Browser;
import io.rdma.testing.JavaProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** The shop as one command starts it, with the catalog in another process. */
@Timeout(600)
class CatalogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String PAGE = "/shop.html";

    private static JavaProcess shop;
    private static String page;
    private static WebTestClient client;

    @BeforeAll
    static void start() throws Exception {
        shop = new JavaProcess(Catalog.class, "--server.port=0");
        page = shop.await(Catalog.READY);
        client = WebTestClient.bindToServer()
                .baseUrl(address())
                .responseTimeout(PATIENCE)
                .build();
    }

    private static String address() {
        return page.substring(0, page.length() - PAGE.length());
    }

    @AfterAll
    static void stop() throws InterruptedException {
        List<ProcessHandle> catalog = shop.children();
        shop.terminate().ended(143).close();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(catalog)
                        .as("the process with the catalog ends with the shop")
                        .isNotEmpty()
                        .noneMatch(ProcessHandle::isAlive));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void catalogAnswersOverBothTransports(String over) {
        client.get()
                .uri("/shop/items/42?over=" + over)
                .exchange()
                .expectHeader()
                .valueMatches("Server-Timing", "catalog;dur=[0-9.E-]+")
                .expectBody(Item.class)
                .isEqualTo(new Item(42, "item number 42", 141));
        client.get()
                .uri("/shop/items?over=" + over)
                .exchange()
                .expectBodyList(Item.class)
                .hasSize(ItemController.ITEMS);
        client.post()
                .uri("/shop/orders?item=1&count=3&over=" + over)
                .exchange()
                .expectBody(Receipt.class)
                .isEqualTo(new Receipt(new Order(1, 3), 300));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void refusalsKeepTheirStatus(String over) {
        client.get().uri("/shop/items/0?over=" + over).exchange().expectStatus().isNotFound();
        client.post()
                .uri("/shop/orders?item=1&count=0&over=" + over)
                .exchange()
                .expectStatus()
                .isEqualTo(HttpStatus.BAD_REQUEST);
    }

    @Test
    void otherTransportsAreRefused() {
        client.get().uri("/shop/items/1?over=pigeon").exchange().expectStatus().isBadRequest();
    }

    @Test
    void callsAreObservedWithThePathAlone() {
        catalogAnswersOverBothTransports("rdma");
        Map<String, Object> meter = WebClient.create(address())
                .get()
                .uri("/actuator/metrics/http.client.requests")
                .retrieve()
                .bodyToMono(new ParameterizedTypeReference<Map<String, Object>>() {})
                .block(PATIENCE);
        assertThat(meter)
                .extractingByKey("availableTags")
                .asString()
                .contains("/items/{id}")
                .doesNotContain("rdma:");
    }

    @Test
    void timesOfBothTransportsAreStreamed() {
        catalogAnswersOverBothTransports("rdma");
        catalogAnswersOverBothTransports("tcp");
        List<Map<String, Object>> operations = WebClient.create(address())
                .get()
                .uri("/statistics")
                .retrieve()
                .bodyToFlux(new ParameterizedTypeReference<List<Map<String, Object>>>() {})
                .blockFirst(PATIENCE);
        assertThat(operations)
                .hasSize(6)
                .allSatisfy(operation -> assertThat(((Number) operation.get("total")).longValue())
                        .as("%s", operation)
                        .isPositive());
    }

    @Test
    void pageShowsTheTimesOfBothTransports() throws Exception {
        try (Browser browser = Browser.opened(page)) {
            Browser.within(() -> browser.count("figure") == 3);
            for (String operation : List.of(Shop.ITEM, Shop.LIST, Shop.ORDER)) {
                browser.awaitFigure(operation, 20);
            }
            browser.type("number", "7");
            browser.element("#over option[value=rdma]").click();
            browser.element("[name=item]").click();
            Browser.within(() -> browser.text("#answer").matches(".*item number 7.* · over RDMA · [0-9.]+ (µs|ms)"));
            browser.type("number", "none");
            browser.element("[name=order]").click();
            Browser.within(() -> browser.text("#answer").startsWith("400"));
            browser.screenshot(System.getProperty("screenshot", "target/shop.png"));
            browser.element("#load").click();
        }
    }
}
