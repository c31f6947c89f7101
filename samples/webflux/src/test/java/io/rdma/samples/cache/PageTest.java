package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.JavaProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The page in a browser without a screen; {@code -Dscreenshot=FILE} keeps what it looks like. */
@Timeout(600)
class PageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final String TIME = "[0-9.]+ (µs|ms)";

    /** Operations that it waits for; more of them for a picture that shows how it is when everything is warm. */
    private static final long ENOUGH = System.getProperty("screenshot") == null ? 100 : 5_000;

    @Test
    void showsLiveNumbersOfTheLoadThatItMakes() throws Exception {
        File driver = onPath("chromedriver");
        File browser = onPath("chromium", "chromium-headless-shell", "google-chrome");
        try (JavaProcess service = new JavaProcess(RemoteCache.class, "--server.port=0")) {
            // Before the browser starts: both at once take a small machine long.
            String address = service.await(RemoteCache.READY);
            ChromeOptions options = new ChromeOptions();
            options.setBinary(browser);
            options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu");
            options.setPageLoadTimeout(PATIENCE);
            ChromeDriver page = new ChromeDriver(
                    new ChromeDriverService.Builder()
                            .usingDriverExecutable(driver)
                            .withTimeout(PATIENCE)
                            .build(),
                    options);
            try {
                page.manage().window().setSize(new Dimension(1200, 960));
                page.get(address);
                within(() -> page.findElements(By.cssSelector("figure")).size() == 3);
                refusalsAreShown(page);
                aRemovedValueIsGone(page);
                typedValuesAreReadBack(page);
                page.findElement(By.id("load")).click();
                for (String operation : List.of("get", "put", "add")) {
                    for (String over : List.of("rdma", "tcp")) {
                        within(() -> number(page, "#" + operation + " .total." + over) > ENOUGH);
                        within(() -> highestBar(page, operation, over) > 30);
                    }
                    within(() -> textOf(page, "#" + operation + " .x.axis").contains("time of one"));
                    within(() -> textOf(page, "#" + operation + " .y.axis").contains("share"));
                    within(() -> textOf(page, "#" + operation + " svg").matches("(?s).*100 µs.*better.*"));
                }
                assertThat(text(page, "#legend")).contains("RDMA", "TCP");
                within(() -> text(page, "#state").equals("live"));
                // A dash when there was no GET lately.
                within(() -> text(page, "#get .p50.rdma").matches(TIME)
                        && text(page, "#get .p50.tcp").matches(TIME));
                String screenshot = System.getProperty("screenshot", "target/remote-cache.png");
                Files.write(Path.of(screenshot), page.getScreenshotAs(OutputType.BYTES));
                page.findElement(By.id("load")).click();
            } finally {
                page.quit();
            }
        }
    }

    private static void refusalsAreShown(ChromeDriver page) {
        ask(page, "rdma", "", "x", "get", "400: the key is empty");
        ask(page, "tcp", "", "x", "put", "400: the key is empty");
        ask(page, "rdma", "nobody put it", "x", "get", "404: no value");
        ask(page, "tcp", "k".repeat(1001), "x", "get", "400: a key of 1001 bytes");
        ask(page, "rdma", "key", "v".repeat(1001), "put", "413: the value has more than 1000 bytes");
        ask(page, "tcp", "..", "x", "get", "a browser takes");
    }

    private static void aRemovedValueIsGone(ChromeDriver page) {
        ask(page, "rdma", "old", "x", "put", "stored · over RDMA");
        ask(page, "rdma", "old", "", "remove", "removed · over RDMA");
        ask(page, "tcp", "old", "", "get", "404: no value");
    }

    private static void typedValuesAreReadBack(ChromeDriver page) {
        ask(page, "rdma", "city", "Zürich <b>", "put", "stored · over RDMA");
        ask(page, "tcp", "city", "", "get", "Zürich <b> · over TCP");
        ask(page, "tcp", "greeting", "hello", "put", "stored · over TCP");
        ask(page, "rdma", "greeting", "hello", "get", "hello · over RDMA");
        assertThat(text(page, "#answer")).matches(".* " + TIME + " in the service, " + TIME + " with HTTP .*");
    }

    /** Types a key and a value, presses a button, and waits for an answer. */
    private static void ask(ChromeDriver page, String over, String key, String value, String button, String beginning) {
        page.findElement(By.cssSelector("#over option[value=" + over + "]")).click();
        type(page, "key", key);
        type(page, "value", value);
        page.findElement(By.name(button)).click();
        within(() -> text(page, "#answer").startsWith(beginning));
    }

    private static void type(ChromeDriver page, String field, String text) {
        page.findElement(By.id(field)).clear();
        page.findElement(By.id(field)).sendKeys(text);
    }

    private static void within(Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(condition);
    }

    private static long number(ChromeDriver page, String selector) {
        return Long.parseLong(text(page, selector).replaceAll("[^0-9]", ""));
    }

    private static String text(ChromeDriver page, String selector) {
        return page.findElement(By.cssSelector(selector)).getText();
    }

    /** By a script too: the page draws its axes anew all the time. */
    private static String textOf(ChromeDriver page, String selector) {
        return String.valueOf(page.executeScript("return document.querySelector('" + selector + "')?.textContent"));
    }

    /** By a script, in one go: the page draws its bars anew all the time. */
    private static double highestBar(ChromeDriver page, String operation, String over) {
        Object height = page.executeScript("return Math.max(...[...document.querySelectorAll('#" + operation + " rect."
                + over + "')].map(bar => bar.height.baseVal.value))");
        return ((Number) Objects.requireNonNull(height)).doubleValue();
    }

    /** The first of some programs that is here. */
    private static File onPath(String... names) {
        Optional<File> found = Arrays.stream(names)
                .flatMap(name -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(directory -> new File(directory, name)))
                .filter(File::canExecute)
                .findFirst();
        Assumptions.assumeTrue(
                found.isPresent(),
                () -> "there is no " + String.join(" or ", names)
                        + " here: the page needs Debian's packages chromium and chromium-driver");
        return found.orElseThrow();
    }
}
