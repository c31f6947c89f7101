package io.rdma.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultsTest {
    private final Results results = new Results("test");

    private void threeRounds() {
        double[] ours = {30, 10, 200};
        double[] theirs = {10, 10, 100};
        for (int round = 0; round < ours.length; round++) {
            results.add("ours", "us", ours[round]);
            results.add("theirs", "us", theirs[round]);
        }
    }

    @Test
    void ratiosAreTakenRoundByRound() {
        threeRounds();
        results.compare("ours", "theirs", Bar.atMost(1.5));
        Figure ratio = results.ratios().getFirst();
        assertThat(ratio.rounds()).containsExactly(3.0, 1.0, 2.0);
        assertThat(ratio.median()).isEqualTo(2.0); // the ratio of the medians would be 3
        assertThat(ratio.least()).isEqualTo(1.0);
        assertThat(ratio.most()).isEqualTo(3.0);
    }

    @Test
    void nothingIsComparedWithATimeBelowTheResolutionOfItsClock() {
        Results results = new Results("test");
        results.add("ours", "us", 1);
        results.add("theirs", "us", 0);
        results.compare("ours", "theirs");
        assertThat(results.ratios()).isEmpty();
    }

    @Test
    void ratiosAreNamedByTheWordsThatDiffer() {
        results.add("two JVMs, stream, soft0, processor", "us", 1);
        results.add("two JVMs, stream, TCP, processor", "us", 1);
        results.compare("two JVMs, stream, soft0, processor", "two JVMs, stream, TCP, processor");
        assertThat(results.ratios().getFirst().name()).isEqualTo("two JVMs, stream, soft0, processor / TCP");
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        results.add("ours", "us", 4);
        results.add("ours", "us", 1);
        assertThat(results.figures().getFirst().median()).isEqualTo(2.5);
    }

    @Test
    void aFigureThatWasNotMeasuredIsNotCompared() {
        results.add("ours", "us", 1);
        results.compare("ours", "theirs", Bar.atMost(1));
        assertThat(results.ratios()).isEmpty();
    }

    @Test
    void aBarIsAMaximumOrAMinimum() {
        assertThat(Bar.atMost(1.3).isMet(1.3)).isTrue();
        assertThat(Bar.atMost(1.3).isMet(1.31)).isFalse();
        assertThat(Bar.atLeast(5).isMet(5)).isTrue();
        assertThat(Bar.atLeast(5).isMet(4.9)).isFalse();
    }

    @Test
    void theTableShowsWhichBarIsMissed() {
        threeRounds();
        results.bar("ours", Bar.atMost(20));
        results.bar("theirs", Bar.atMost(20));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        results.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String table = bytes.toString(StandardCharsets.UTF_8);
        assertThat(table.lines().filter(line -> line.endsWith(" ours")))
                .singleElement()
                .asString()
                .contains("NOT MET");
        assertThat(table.lines().filter(line -> line.endsWith(" theirs")))
                .singleElement()
                .asString()
                .contains(" met ")
                .doesNotContain("NOT");
    }

    @Test
    void filesHoldEveryRound(@TempDir Path folder) throws Exception {
        threeRounds();
        results.compare("ours", "theirs");
        ResultFiles.write(results, folder);
        JsonNode json = new JsonMapper().readTree(folder.resolve("test.json").toFile());
        assertThat(json.at("/figures/0/name").asString()).isEqualTo("ours");
        assertThat(json.at("/figures/0/rounds/2").asDouble()).isEqualTo(200);
        assertThat(json.at("/ratios/0/median").asDouble()).isEqualTo(2);
        assertThat(json.at("/machine/processors").asInt()).isPositive();
        assertThat(folder.resolve("test-us.png")).isNotEmptyFile();
        assertThat(folder.resolve("test-x.png")).isNotEmptyFile();
    }

    @Test
    void aHigherRatioOfRatesIsBetter() {
        results.add("soft0", "messages/ms", 2);
        results.add("TCP", "messages/ms", 1);
        results.add("soft0, p50", "us", 2);
        results.add("TCP, p50", "us", 1);
        results.compare("soft0", "TCP");
        results.compare("soft0, p50", "TCP, p50");
        Figure rate = results.ratios().getFirst();
        Figure time = results.ratios().getLast();
        assertThat(rate.isMoreBetter()).isTrue();
        assertThat(time.isMoreBetter()).isFalse();
        assertThat(rate.subject()).isEqualTo("soft0");
        assertThat(rate.question()).contains("messages").endsWith("TCP").isNotEqualTo(time.question());
    }

    @Test
    void picturesAreDrawnAgainFromTheirFile(@TempDir Path folder) throws Exception {
        threeRounds();
        results.compare("ours", "theirs", Bar.atMost(1.5));
        ResultFiles.write(results, folder);
        Path json = folder.resolve("test.json");
        assertThat(new CommandLine(new PlotFiles()).execute(json.toString())).isZero();
        assertThat(ImageIO.read(folder.resolve("test.png").toFile()).getWidth()).isPositive();
    }

    @Test
    void barsAreReadAsTheyAreWritten() {
        assertThat(Bar.parse(Bar.atMost(1.3).toString())).isEqualTo(Bar.atMost(1.3));
        assertThat(Bar.parse(Bar.atLeast(5).toString())).isEqualTo(Bar.atLeast(5));
    }

    @Test
    void axesAreLogarithmicUnlessAValueIsZero() {
        PlotAxis ratios = PlotAxis.covering(new double[] {0.1, 10}, true, 0, 100);
        assertThat(ratios.place(1) - ratios.place(0.1)).isCloseTo(ratios.place(10) - ratios.place(1), within(1e-9));
        assertThat(ratios.ticks()).contains(0.1, 1.0, 10.0);
        PlotAxis bytes = PlotAxis.covering(new double[] {0, 100}, false, 0, 100);
        assertThat(bytes.place(50) - bytes.place(0)).isCloseTo(bytes.place(100) - bytes.place(50), within(1e-9));
        assertThat(bytes.ticks()).startsWith(0.0);
    }
}
