package io.rdma.reactive.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.LoopCounters;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.pool.RdmaConnectionPool;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Counters of the engine, their meters, and the table of meters for operators: none of them lacks what another has. */
class MetersTest {
    private static final Path PAGE = Path.of("..", "docs", "operate", "observability.md");
    private static final Pattern ROW = Pattern.compile("^\\| (`rdma[^|]+) \\| (\\w+) \\|");
    private static final Pattern NAME = Pattern.compile("`(rdma\\.[a-z.]+)`");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<String> accessors =
            Arrays.stream(LoopCounters.class.getMethods()).map(Method::getName).toList();

    /** Counters whose values are the numbers of their accessors. A field, because the registry holds them weakly. */
    private final LoopCounters counters = (LoopCounters) Proxy.newProxyInstance(
            LoopCounters.class.getClassLoader(), new Class<?>[] {LoopCounters.class}, (proxy, method, arguments) ->
                    (long) accessors.indexOf(method.getName()));

    @Test
    void eachCounterOfALoopHasAMeter() {
        RdmaMetrics.bind(registry, counters, Tags.empty());
        List<String> read = registry.getMeters().stream()
                .map(meter -> accessors.get((int) ((FunctionCounter) meter).count()))
                .toList();
        assertThat(read).containsExactlyInAnyOrderElementsOf(accessors);
    }

    @Test
    void thePageListsEachMeterWithItsKind() throws IOException {
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"))) {
            new RdmaMetrics(resources).bindTo(registry);
        }
        RdmaConnectionPool pool = RdmaConnectionPool.create(RdmaClient.create().port(1), PoolOptions.DEFAULT);
        new RdmaPoolMetrics("orders", pool.metrics()).bindTo(registry);
        pool.disposeNow(Duration.ofSeconds(60));
        Map<String, String> meters = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            Meter.Id id = meter.getId();
            meters.put(id.getName(), id.getType().name().toLowerCase(Locale.ROOT));
        }
        Map<String, String> listed = new TreeMap<>();
        Files.readAllLines(PAGE).stream()
                .map(ROW::matcher)
                .filter(row -> row.find())
                .forEach(row ->
                        NAME.matcher(row.group(1)).results().forEach(name -> listed.put(name.group(1), row.group(2))));
        assertThat(listed).isEqualTo(meters);
    }
}
