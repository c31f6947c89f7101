package io.rdma.samples.bench;

import io.rdma.samples.bench.engine.BareLoop;
import io.rdma.samples.bench.engine.EngineWrites;
import io.rdma.samples.bench.engine.ForeignCalls;
import io.rdma.samples.bench.engine.ReactiveStream;
import io.rdma.samples.bench.engine.ReactiveWrites;
import io.rdma.samples.bench.engine.Submission;
import io.rdma.samples.bench.engine.SuspendedWrites;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** A run of JMH in each round, with each benchmark in a JVM of its own. Compares within each round. */
final class EngineRun {
    private static final String BARE = "bare loop, 64 B writes";
    private static final String ENGINE = "engine, 64 B writes";
    private static final String MANY = " connections, 16 writes in flight on each";
    private static final String THREADS = " submitting thread(s), total";
    /** Names of the figures, by class, method and parameter as JMH names them. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("ForeignCalls.bound", "call of C, symbol"),
            Map.entry("ForeignCalls.boundCritical", "call of C, symbol, critical"),
            Map.entry("ForeignCalls.pointer", "call of C, pointer"),
            Map.entry("ForeignCalls.pointerCritical", "call of C, pointer, critical"),
            Map.entry("ForeignCalls.pointerErrno", "call of C, pointer, errno kept"),
            Map.entry("BareLoop.writes", BARE),
            Map.entry("EngineWrites.writes 1x128", ENGINE),
            Map.entry("EngineWrites.writes 1x16", "1" + MANY),
            Map.entry("EngineWrites.writes 100x16", "100" + MANY),
            Map.entry("EngineWrites.writes 1000x16", "1000" + MANY),
            Map.entry("ReactiveWrites.pipelined", "Mono write, pipelined"),
            Map.entry("ReactiveWrites.oneAtATime", "Mono write, one at a time"),
            Map.entry("ReactiveWrites.flatMap", "Mono write, pipelined by flatMap"),
            Map.entry("ReactiveStream.stream", "scoped send to receive, Flux"),
            Map.entry("SuspendedWrites.pipelined", "suspended write, pipelined"),
            Map.entry("SuspendedWrites.oneAtATime", "suspended write, one at a time"),
            Map.entry("SuspendedWrites.stream", "scoped send to incoming, Flow"));

    private final BenchOptions options;
    private final String only;
    private final Results results = new Results("engine");

    EngineRun(BenchOptions options, String only) {
        this.options = options;
        this.only = only;
    }

    Results measure() throws Exception {
        Files.createDirectories(options.output());
        if (options.quick()) {
            System.setProperty("jmh.ignoreLock", "true"); // a quick run's figures are not used
        }
        for (int round = 1; round <= options.rounds(); round++) {
            System.out.println("round " + round + " of " + options.rounds());
            run(BareLoop.class, 1, round, "");
            for (Class<?> type : List.of(
                    ForeignCalls.class,
                    EngineWrites.class,
                    ReactiveWrites.class,
                    ReactiveStream.class,
                    SuspendedWrites.class)) {
                run(type, 1, round, only);
            }
            for (int threads : List.of(1, 2, 4)) {
                run(Submission.class, threads, round, only);
            }
        }
        compare();
        return results;
    }

    private void run(Class<?> type, int threads, int round, String filter) throws RunnerException {
        String log = type.getSimpleName() + "-" + threads + "-" + round + ".log";
        Path file = options.output().resolve(log);
        ChainedOptionsBuilder builder = new OptionsBuilder()
                .include("\\." + type.getSimpleName() + "\\." + (filter.isEmpty() ? "" : ".*(" + filter + ").*"))
                .threads(threads)
                .forks(options.quick() ? 0 : 1)
                .warmupIterations(options.quick() ? 0 : 4)
                .measurementIterations(options.quick() ? 1 : 4)
                .warmupTime(TimeValue.milliseconds(options.quick() ? 50 : 500))
                .measurementTime(TimeValue.milliseconds(options.quick() ? 50 : 500))
                .addProfiler(GCProfiler.class)
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-Xmx1g")
                .shouldFailOnError(true)
                .output(file.toString());
        if (options.quick()) {
            builder = builder.param("shape", "1x128");
        }
        try {
            for (RunResult result : new Runner(builder.build()).run()) {
                add(result, threads);
            }
        } catch (NoBenchmarksException e) {
            // no benchmark of this class was selected
        }
    }

    @SuppressWarnings("rawtypes") // JMH's signature
    private void add(RunResult result, int threads) {
        String method = result.getParams().getBenchmark().replaceFirst(".*\\.(\\w+\\.\\w+)$", "$1");
        String shape = result.getParams().getParam("shape");
        String name = method.startsWith("Submission")
                ? threads + THREADS
                : NAMES.getOrDefault(shape == null ? method : method + " " + shape, method);
        Map<String, Result> more = result.getSecondaryResults();
        if (method.startsWith("Submission")) {
            results.add(name, "ops/ms", result.getPrimaryResult().getScore());
            return;
        }
        results.add(name, "ns", sum(more, "cpuNanos") / sum(more, "operations"));
        if (method.startsWith("ForeignCalls")) {
            return;
        }
        results.add(
                name + ", by the clock", "clock ns", result.getPrimaryResult().getScore());
        results.add(name + ", allocated", "B", sum(more, "gc.alloc.rate.norm"));
        if (sum(more, "requests") > 0) {
            results.add(name + ", posts for each", "calls", sum(more, "posts") / sum(more, "operations"));
            results.add(name + ", polls for each", "calls", sum(more, "polls") / sum(more, "operations"));
        }
    }

    @SuppressWarnings("rawtypes") // JMH's signature
    private static double sum(Map<String, Result> results, String name) {
        Result found = results.get(name);
        return found == null ? 0 : found.getScore();
    }

    private void compare() {
        results.compare(ENGINE, BARE, Bar.atMost(1.3));
        results.bar(ENGINE + ", allocated", Bar.atMost(0.5));
        results.compare("Mono write, pipelined", BARE, Bar.atMost(4));
        results.bar("Mono write, pipelined, allocated", Bar.atMost(96.5)); // half a byte is allocated by JMH
        results.compare("Mono write, one at a time", BARE);
        results.compare("Mono write, pipelined by flatMap", BARE);
        results.compare("suspended write, pipelined", BARE, Bar.atMost(6));
        results.bar("suspended write, pipelined, allocated", Bar.atMost(160.5));
        results.compare("suspended write, one at a time", BARE);
        for (String stream : List.of("scoped send to receive, Flux", "scoped send to incoming, Flow")) {
            results.bar(stream + ", allocated", Bar.atMost(0.5));
            results.bar(stream + ", posts for each", Bar.atMost(0.2));
            results.bar(stream + ", polls for each", Bar.atMost(0.2));
            results.compare(stream, BARE);
        }
        results.compare("100" + MANY, "1" + MANY);
        results.compare("1000" + MANY, "1" + MANY, Bar.atMost(1.3));
        results.compare("2" + THREADS, "1" + THREADS);
        results.compare("4" + THREADS, "1" + THREADS, Bar.atLeast(1));
    }
}
