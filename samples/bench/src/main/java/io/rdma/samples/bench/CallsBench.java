package io.rdma.samples.bench;

import io.rdma.samples.bench.calls.CalledDevice;
import io.rdma.samples.bench.calls.CallingStyle;
import io.rdma.samples.bench.calls.EmptyPoll;
import io.rdma.samples.bench.calls.Operation;
import io.rdma.samples.bench.calls.ReceivePosts;
import io.rdma.samples.bench.calls.TimedCalls;
import io.rdma.samples.bench.calls.WritePosts;
import io.rdma.verbs.RdmaDevices;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A benchmark of the ways to call C, for the functions where the cost matters. */
@Command(
        name = "calls",
        mixinStandardHelpOptions = true,
        description = "Polling an empty completion queue and posting, by each way of calling C, on a real device.")
final class CallsBench implements Callable<Integer> {
    private static final int BURSTS = 5;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--device", defaultValue = "rxe0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "rxe0";

    private final Random random = new Random(1);

    @Override
    public Integer call() throws Exception {
        if (RdmaDevices.named(device).isSoftware()) {
            throw new IllegalArgumentException(
                    device + " is written in Java and calls no C: give --device one of libibverbs, such as rxe0"
                            + " (.ci/rxe-vm has it, see docs/operate/devices.md)");
        }
        Results results = new Results("calls");
        try (CalledDevice opened = new CalledDevice(device)) {
            Map<Operation, Map<CallingStyle, TimedCalls>> all = new LinkedHashMap<>();
            for (Operation operation :
                    List.of(new EmptyPoll(opened), new ReceivePosts(opened), new WritePosts(opened))) {
                Map<CallingStyle, TimedCalls> styles = new EnumMap<>(CallingStyle.class);
                for (CallingStyle style : CallingStyle.values()) {
                    styles.put(style, operation.in(style));
                }
                all.put(operation, styles);
            }
            if (!options.quick()) {
                warmUp(all);
            }
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                Results into = round == 0 ? new Results("warm-up") : results;
                all.forEach((operation, styles) -> round(into, operation, styles));
            }
            all.keySet().forEach(operation -> compare(results, operation));
        }
        options.finish(results);
        return 0;
    }

    /**
     * Warms up in bursts, with pauses in which the JIT compilers catch up. There are several steps from the interpreter
     * to the first compiler and then to the second, and each of them is triggered by calls.
     */
    private static void warmUp(Map<Operation, Map<CallingStyle, TimedCalls>> all) throws InterruptedException {
        for (int burst = 0; burst < BURSTS; burst++) {
            all.forEach((operation, styles) -> styles.values().forEach(operation::warmUp));
            Jvm.awaitCompilers();
        }
    }

    /**
     * Measures the styles in turn, batch by batch, so that other work of the machine affects all styles alike. The
     * result of a style is its median. The order changes for each batch, since a style is affected by the one that ran
     * before it.
     */
    private void round(Results into, Operation operation, Map<CallingStyle, TimedCalls> styles) {
        Map<CallingStyle, Figure> batches = new EnumMap<>(CallingStyle.class);
        List<Map.Entry<CallingStyle, TimedCalls>> order = new ArrayList<>(styles.entrySet());
        for (int batch = 0; batch < (options.quick() ? 2 : operation.batches()); batch++) {
            Collections.shuffle(order, random);
            for (Map.Entry<CallingStyle, TimedCalls> next : order) {
                batches.computeIfAbsent(next.getKey(), style -> new Figure(style.title(), "ns"))
                        .add(operation.batch(next.getValue()));
            }
        }
        batches.forEach((style, figure) -> into.add(name(operation, style), "ns", figure.median()));
    }

    private static void compare(Results results, Operation operation) {
        for (CallingStyle style : CallingStyle.values()) {
            if (style != CallingStyle.POINTER) {
                results.compare(name(operation, style), name(operation, CallingStyle.POINTER));
            }
        }
    }

    private static String name(Operation operation, CallingStyle style) {
        return operation.title() + ", " + style.title();
    }
}
