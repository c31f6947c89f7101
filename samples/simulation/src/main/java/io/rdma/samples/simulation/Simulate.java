package io.rdma.samples.simulation;

import io.rdma.samples.simulation.coverage.Coverage;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.samples.simulation.shrink.GivenPlans;
import io.rdma.samples.simulation.story.Failures;
import io.rdma.samples.simulation.story.RunUnderWay;
import io.rdma.samples.simulation.world.Plan;
import io.rdma.samples.simulation.world.ShortPlan;
import io.rdma.samples.simulation.world.Sweep;
import io.rdma.samples.simulation.world.World;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs simulations: one seed after the other for a time, or one seed with its story. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description =
                "Simulates hosts, their devices and connections in one thread. A seed gives the same run each time.")
public final class Simulate implements Callable<Integer> {
    @Option(names = "--seed", description = "first seed; a random one by default")
    private long seed = new SecureRandom().nextLong() >>> 1;

    @Option(names = "--runs", description = "number of seeds; by default as many as fit into the time")
    private long runs = Long.MAX_VALUE;

    @Option(names = "--seconds", description = "time after which no run begins (default: ${DEFAULT-VALUE})")
    private long seconds = 60;

    @Option(names = "--failures", description = "number of seeds that fail before it ends (default: ${DEFAULT-VALUE})")
    private int mostFailures = 20;

    @Option(names = "--short", description = "short runs: two hosts, a hundred small messages, up to ten faults")
    private boolean brief;

    @Option(
            names = "--sweep",
            arity = "0..1",
            fallbackValue = "CANCEL",
            split = ",",
            paramLabel = "FAULT",
            description = "runs each plan again and again, with one of these faults more, before each step of its run"
                    + " (default: ${FALLBACK-VALUE})")
    private List<Plan.FaultKind> swept = List.of();

    @Option(names = "--tell", description = "prints the story of each run: what happened when, without the steps")
    private boolean tell;

    @Option(names = "--steps", description = "prints the steps of the threads, too")
    private boolean steps;

    @Option(
            names = "--coverage",
            arity = "0..1",
            fallbackValue = "target/coverage.txt",
            paramLabel = "FILE",
            description = "prints which part of the branches the runs took, and writes what they never reached to a"
                    + " file (default: ${FALLBACK-VALUE})")
    private @Nullable Path unreached;

    @Mixin
    private final GivenPlans plans = new GivenPlans();

    @Mixin
    private final Failures failures = new Failures();

    private final RunUnderWay underWay = new RunUnderWay();

    private Simulate() {}

    /** Maven passes all options as one argument. */
    public static void main(String... arguments) {
        String[] options = Stream.of(arguments)
                .flatMap(argument -> Stream.of(argument.split(" ")))
                .toArray(String[]::new);
        System.exit(new CommandLine(new Simulate()).execute(options));
    }

    @Override
    public Integer call() throws IOException {
        Path file = unreached;
        if (file == null) {
            return simulate();
        }
        Coverage coverage = Coverage.begin();
        int status = simulate();
        coverage.report(file);
        return status;
    }

    private int simulate() {
        Map<String, Long> faults = new TreeMap<>();
        ThreadMXBean processor = ManagementFactory.getThreadMXBean();
        long before = processor.getCurrentThreadCpuTime();
        long began = System.nanoTime();
        long messages = 0;
        long datagrams = 0;
        long taken = 0;
        long done = 0;
        int failed = 0;
        Iterator<Plan> all = plans().iterator();
        for (; System.nanoTime() - began < TimeUnit.SECONDS.toNanos(seconds) && all.hasNext(); done++) {
            Plan plan = all.next();
            underWay.begins(plan);
            World.Run run = World.run(plan, detail());
            run.simulation().trace().lines().forEach(System.out::println);
            plan.faults().forEach(fault -> faults.merge(fault.kind().name(), 1L, Long::sum));
            messages += run.verdict().messages();
            datagrams += run.verdict().datagrams();
            taken += run.simulation().scheduler().steps();
            if (!run.verdict().wrong().isEmpty()) {
                failures.report(plan, run);
                if (++failed == mostFailures) {
                    done++;
                    break;
                }
            }
        }
        underWay.over();
        double took = (System.nanoTime() - began) / 1e9;
        double worked = (processor.getCurrentThreadCpuTime() - before) / 1e9;
        failures.shrink(); // the search is not a part of the time for runs
        System.out.printf(
                "%d runs from %s in %.1f s (%.0f a second, %.0f in a second of the processor): %d failed%n",
                done, plans.isGiven() ? "given plans" : "seed " + seed, took, done / took, done / worked, failed);
        System.out.printf("%d messages, %d datagrams, %d steps, faults %s%n", messages, datagrams, taken, faults);
        return failed == 0 && done > 0 ? 0 : 1; // no run at all shows nothing
    }

    /** Returns the plans to run: those that were given or those of the seeds, or what a sweep makes of them. */
    private Stream<Plan> plans() {
        Stream<Plan> each =
                LongStream.range(0, plans.isGiven() ? plans.count() : runs).mapToObj(this::plan);
        return swept.isEmpty()
                ? each
                : each.flatMap(plan -> swept.stream().flatMap(kind -> new Sweep(plan, kind).plans()));
    }

    private Plan plan(long number) {
        if (plans.isGiven()) {
            return plans.get(number);
        }
        return brief ? ShortPlan.of(seed + number) : Plan.of(seed + number);
    }

    private Trace.Detail detail() {
        return steps ? Trace.Detail.STEPS : tell ? Trace.Detail.STORY : Trace.Detail.NONE;
    }
}
