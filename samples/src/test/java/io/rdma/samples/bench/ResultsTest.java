package io.rdma.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertThat(ratio.median()).isEqualTo(2.0); // that of the medians would be 3
        assertThat(ratio.least()).isEqualTo(1.0);
        assertThat(ratio.most()).isEqualTo(3.0);
    }

    @Test
    void ratiosAreNamedByWhatDiffers() {
        results.add("two JVMs, stream, soft0, processor", "us", 1);
        results.add("two JVMs, stream, TCP, processor", "us", 1);
        results.compare("two JVMs, stream, soft0, processor", "two JVMs, stream, TCP, processor");
        assertThat(results.ratios().getFirst().name()).isEqualTo("two JVMs, stream, soft0, processor / TCP");
    }

    @Test
    void medianOfAnEvenNumberLiesBetween() {
        results.add("ours", "us", 4);
        results.add("ours", "us", 1);
        assertThat(results.figures().getFirst().median()).isEqualTo(2.5);
    }

    @Test
    void whatWasNotMeasuredIsNotCompared() {
        results.add("ours", "us", 1);
        results.compare("ours", "theirs", Bar.atMost(1));
        assertThat(results.ratios()).isEmpty();
    }

    @Test
    void barsBoundFromEitherSide() {
        assertThat(Bar.atMost(1.3).isMet(1.3)).isTrue();
        assertThat(Bar.atMost(1.3).isMet(1.31)).isFalse();
        assertThat(Bar.atLeast(5).isMet(5)).isTrue();
        assertThat(Bar.atLeast(5).isMet(4.9)).isFalse();
    }

    @Test
    void tableSaysWhichBarIsMissed() {
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
        JsonNode json = new ObjectMapper().readTree(folder.resolve("test.json").toFile());
        assertThat(json.at("/figures/0/name").asText()).isEqualTo("ours");
        assertThat(json.at("/figures/0/rounds/2").asDouble()).isEqualTo(200);
        assertThat(json.at("/ratios/0/median").asDouble()).isEqualTo(2);
        assertThat(json.at("/machine/processors").asInt()).isPositive();
        assertThat(folder.resolve("test-us.png")).isNotEmptyFile();
        assertThat(folder.resolve("test-x.png")).isNotEmptyFile();
    }
}
