package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.latencies.Browser;
import io.rdma.testing.JavaProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page in a browser without a screen; {@code -Dscreenshot=FILE} keeps what it looks like. */
@Timeout(600)
class PageTest {
    private static final String TIME = "[0-9.]+ (µs|ms)";

    /** Operations that it waits for; more of them for a picture that shows how it is when everything is warm. */
    private static final long ENOUGH = System.getProperty("screenshot") == null ? 100 : 5_000;

    @Test
    void showsLiveNumbersOfTheLoadThatItMakes() throws Exception {
        try (JavaProcess service = new JavaProcess(RemoteCache.class, "--server.port=0");
                // After the service: both starts at once take a small machine long.
                Browser page = Browser.opened(service.await(RemoteCache.READY))) {
            Browser.within(() -> page.count("figure") == 3);
            refusalsAreShown(page);
            aRemovedValueIsGone(page);
            typedValuesAreReadBack(page);
            page.element("#load").click();
            for (String operation : List.of("get", "put", "add")) {
                page.awaitFigure(operation, ENOUGH);
            }
            assertThat(page.text("#legend")).contains("RDMA", "TCP");
            Browser.within(() -> page.text("#state").equals("live"));
            // A dash when there was no GET lately.
            Browser.within(() -> page.text("#get .p50.rdma").matches(TIME)
                    && page.text("#get .p50.tcp").matches(TIME));
            page.screenshot(System.getProperty("screenshot", "target/remote-cache.png"));
            page.element("#load").click();
        }
    }

    private static void refusalsAreShown(Browser page) {
        ask(page, "rdma", "", "x", "get", "400: the key is empty");
        ask(page, "tcp", "", "x", "put", "400: the key is empty");
        ask(page, "rdma", "nobody put it", "x", "get", "404: no value");
        ask(page, "tcp", "k".repeat(1001), "x", "get", "400: a key of 1001 bytes");
        ask(page, "rdma", "key", "v".repeat(1001), "put", "413: the value has more than 1000 bytes");
        ask(page, "tcp", "..", "x", "get", "a browser takes");
    }

    private static void aRemovedValueIsGone(Browser page) {
        ask(page, "rdma", "old", "x", "put", "stored · over RDMA");
        ask(page, "rdma", "old", "", "remove", "removed · over RDMA");
        ask(page, "tcp", "old", "", "get", "404: no value");
    }

    private static void typedValuesAreReadBack(Browser page) {
        ask(page, "rdma", "city", "Zürich <b>", "put", "stored · over RDMA");
        ask(page, "tcp", "city", "", "get", "Zürich <b> · over TCP");
        ask(page, "tcp", "greeting", "hello", "put", "stored · over TCP");
        ask(page, "rdma", "greeting", "hello", "get", "hello · over RDMA");
        assertThat(page.text("#answer")).matches(".* " + TIME + " in the service, " + TIME + " with HTTP .*");
    }

    /** Types a key and a value, presses a button, and waits for an answer. */
    private static void ask(Browser page, String over, String key, String value, String button, String beginning) {
        page.element("#over option[value=" + over + "]").click();
        page.type("key", key);
        page.type("value", value);
        page.element("[name=" + button + "]").click();
        Browser.within(() -> page.text("#answer").startsWith(beginning));
    }
}
