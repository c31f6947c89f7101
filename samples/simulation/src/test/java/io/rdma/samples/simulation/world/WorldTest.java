package io.rdma.samples.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.samples.simulation.agent.Agent;
import io.rdma.samples.simulation.coverage.Coverage;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.samples.simulation.story.Failures;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated hosts: what must hold holds, and a seed gives the same run again. */
class WorldTest {
    @BeforeAll
    static void simulates() {
        assumeTrue(Agent.loaded(), "needs JDK 25");
    }

    private static final long SOME = 30;

    /** Prints a digest for each of some seeds, in an order of its own. */
    static final class Digests {
        public static void main(String[] arguments) {
            digests(LongStream.range(0, SOME)).forEach((seed, digest) -> System.out.println(seed + " " + digest));
        }
    }

    /** The same, with the library's branches counted. */
    static final class Counted {
        public static void main(String[] arguments) {
            Coverage.begin();
            Digests.main(arguments);
        }
    }

    private static Map<Long, Long> digests(LongStream seeds) {
        Map<Long, Long> digests = new HashMap<>();
        seeds.forEach(seed -> digests.put(
                seed, World.run(Plan.of(seed), false).simulation().trace().digest()));
        return digests;
    }

    @Test
    void aSeedGivesTheSameRunWhateverRanBefore() {
        Map<Long, Long> digests = digests(LongStream.range(0, SOME));
        assertThat(new HashSet<>(digests.values())).hasSize((int) SOME);
        assertThat(digests(LongStream.range(0, SOME).map(i -> SOME - 1 - i))).isEqualTo(digests);
    }

    @ParameterizedTest
    @ValueSource(classes = {Digests.class, Counted.class})
    void aSeedGivesTheSameRunInAnotherProcess(Class<?> main) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        command.add(main.getName());
        Process other = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Map<Long, Long> digests = new HashMap<>();
        try (InputStream output = other.getInputStream()) {
            new String(output.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split(" "))
                    .forEach(pair -> digests.put(Long.valueOf(pair[0]), Long.valueOf(pair[1])));
        }
        assertThat(digests).isEqualTo(digests(LongStream.range(0, SOME)));
    }

    static Stream<Plan> plans() {
        return Stream.concat(Failed.plans(), LongStream.range(1000, 1200).mapToObj(Plan::of));
    }

    @ParameterizedTest
    @MethodSource("plans")
    void whatMustHoldHolds(Plan plan) {
        World.Run run = World.run(plan, false);
        assertThat(run.verdict().wrong()).as(Failures.command(plan)).isEmpty();
    }

    @Test
    void aRunIsTheSameWhenItIsTold() {
        Plan plan = Plan.of(2).withoutFaults();
        Trace untold = World.run(plan, Trace.Detail.NONE).simulation().trace();
        Trace story = World.run(plan, Trace.Detail.STORY).simulation().trace();
        Trace steps = World.run(plan, Trace.Detail.STEPS).simulation().trace();
        assertThat(story.digest()).isEqualTo(untold.digest());
        assertThat(steps.digest()).isEqualTo(untold.digest());
        assertThat(untold.lines()).isEmpty();
        assertThat(steps.lines()).hasSizeGreaterThan(story.lines().size());
        assertThat(story.lines()).anyMatch(line -> line.matches(" +[0-9,.]+ µs +client 0 .*: SEND"));
    }

    @Test
    void withoutFaultsEveryMessageArrives() {
        for (long seed = 0; seed < 20; seed++) {
            Plan fine = Plan.of(seed).withoutFaults();
            Verdict verdict = World.run(fine, false).verdict();
            assertThat(verdict.wrong()).isEmpty();
            assertThat(verdict.messages()).isEqualTo(fine.messages());
        }
    }
}
