package io.rdma.samples.latencies;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** A browser without a screen that shows a page of this module. */
public final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    private final ChromeDriver page;

    private Browser(ChromeDriver page) {
        this.page = page;
    }

    /**
     * Opens a page. Skips the test with the reason if there is no browser here.
     *
     * @param address of the page
     * @return the browser
     */
    public static Browser opened(String address) {
        File driver = onPath("chromedriver");
        File browser = onPath("chromium", "chromium-headless-shell", "google-chrome");
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
        page.manage().window().setSize(new Dimension(1200, 960));
        page.get(address);
        return new Browser(page);
    }

    /** Returns the first of some programs that is here. */
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

    /**
     * Waits for a condition.
     *
     * @param condition the condition
     */
    public static void within(Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(condition);
    }

    /**
     * Returns the first element of a selector.
     *
     * @param selector of CSS
     * @return the element
     */
    public WebElement element(String selector) {
        return page.findElement(By.cssSelector(selector));
    }

    /**
     * Returns the number of elements of a selector.
     *
     * @param selector of CSS
     * @return their number
     */
    public int count(String selector) {
        return page.findElements(By.cssSelector(selector)).size();
    }

    /**
     * Returns the visible text of an element.
     *
     * @param selector of CSS
     * @return the text
     */
    public String text(String selector) {
        return element(selector).getText();
    }

    /**
     * Returns the number that an element shows.
     *
     * @param selector of CSS
     * @return the number
     */
    public long number(String selector) {
        return Long.parseLong(text(selector).replaceAll("[^0-9]", ""));
    }

    /**
     * Replaces the text of a field.
     *
     * @param id of the field
     * @param text the new text
     */
    public void type(String id, String text) {
        element("#" + id).clear();
        element("#" + id).sendKeys(text);
    }

    /**
     * Returns the text of an element by a script, because the page draws its axes anew all the time.
     *
     * @param selector of CSS
     * @return the text
     */
    public String textOf(String selector) {
        return String.valueOf(page.executeScript("return document.querySelector('" + selector + "')?.textContent"));
    }

    /**
     * Waits until a figure has axes, and bars of both transports.
     *
     * @param operation whose figure it is
     * @param operations number of operations over each transport to wait for
     */
    public void awaitFigure(String operation, long operations) {
        for (String over : new String[] {"rdma", "tcp"}) {
            within(() -> number("#" + operation + " .total." + over) > operations);
            within(() -> highestBar(operation, over) > 30);
        }
        within(() -> textOf("#" + operation + " .x.axis").contains("time of one"));
        within(() -> textOf("#" + operation + " .y.axis").contains("share"));
        within(() -> textOf("#" + operation + " svg").matches("(?s).*100 µs.*better.*"));
    }

    /** Returns the height by a script, in one go. */
    private double highestBar(String operation, String over) {
        Object height = page.executeScript("return Math.max(...[...document.querySelectorAll('#" + operation + " rect."
                + over + "')].map(bar => bar.height.baseVal.value))");
        return ((Number) Objects.requireNonNull(height)).doubleValue();
    }

    /**
     * Keeps what the page looks like.
     *
     * @param file of the picture
     */
    public void screenshot(String file) throws IOException {
        Files.write(Path.of(file), page.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        page.quit();
    }
}
