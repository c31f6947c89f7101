package io.rdma.reactive.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdma.buffer.LeakDetector;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.loop.CompletionLoop;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Meters of an open device, its completion loops and its connections. They read counters that exist anyway, and only
 * when the registry samples them. docs/operate/observability.md lists the name, unit and tags of each meter.
 *
 * <pre>{@code
 * new RdmaMetrics(resources).bindTo(registry);
 * }</pre>
 *
 * <p>Tags have few values: {@code device}, and for a loop {@code loop}, its number. Connections have no tag.
 */
public final class RdmaMetrics implements MeterBinder {
    private final RdmaResources resources;
    private final Tags tags;

    /**
     * Creates the meters of one device.
     *
     * @param resources resources as given to clients and servers by their {@code resources} method; the registry holds
     *     them weakly
     */
    public RdmaMetrics(RdmaResources resources) {
        this(resources, List.of());
    }

    /**
     * Creates the meters of one device, with tags of the application.
     *
     * @param resources resources as given to clients and servers by their {@code resources} method
     * @param tags added to each meter
     */
    public RdmaMetrics(RdmaResources resources, Iterable<Tag> tags) {
        this.resources = resources;
        this.tags = Tags.concat(tags, "device", resources.context().name());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(
                registry,
                "connections",
                BaseUnits.CONNECTIONS,
                "Connections that are open or closing",
                r -> r.endpoints().size());
        gauge(
                registry,
                "operations.active",
                BaseUnits.OPERATIONS,
                "Operations that are posted to the device and have not completed",
                r -> sum(r, RdmaEndpoint::inFlight));
        gauge(
                registry,
                "buffers.send.leased",
                BaseUnits.BUFFERS,
                "Send buffers that are in use",
                r -> sum(r, endpoint -> endpoint.sendBuffers().leased()));
        gauge(
                registry,
                "messages.outstanding",
                BaseUnits.MESSAGES,
                "Messages that arrived and that the application has not closed",
                r -> sum(r, endpoint -> endpoint.outstandingReceives()));
        gauge(
                registry,
                "memory.registered",
                BaseUnits.BYTES,
                "Memory that is registered with the device",
                r -> r.registrationBudget().registered());
        FunctionCounter.builder("rdma.leaks", LeakDetector.class, any -> LeakDetector.reported())
                .baseUnit("leaks")
                .description("Watched buffers and messages of all devices that became unreachable without close()")
                .register(registry);
        int number = 0;
        for (CompletionLoop loop : DeviceResources.of(resources).loops()) {
            bind(registry, loop, tags.and("loop", Integer.toString(number++)));
        }
    }

    private static long sum(RdmaResources resources, ToLongFunction<RdmaEndpoint> what) {
        return resources.endpoints().stream().mapToLong(what).sum();
    }

    private void gauge(
            MeterRegistry registry,
            String name,
            String unit,
            String description,
            ToDoubleFunction<RdmaResources> value) {
        Gauge.builder("rdma." + name, resources, value)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    private static void bind(MeterRegistry registry, CompletionLoop loop, Tags tags) {
        Gauge.builder("rdma.loop.entries.free", loop, CompletionLoop::freeEntries)
                .tags(tags)
                .baseUnit("entries")
                .description("Entries of the completion queue that no connection has reserved")
                .register(registry);
        bind(registry, loop.counters(), tags);
    }

    /** Makes a meter of each counter. */
    static void bind(MeterRegistry registry, LoopCounters counters, Tags tags) {
        record Counter(String name, String unit, String description, ToDoubleFunction<LoopCounters> value) {}
        for (Counter one : new Counter[] {
            new Counter("requests.posted", "requests", "Send work requests posted", LoopCounters::posted),
            new Counter(
                    "requests.signaled",
                    "requests",
                    "Send work requests posted that asked for a completion",
                    LoopCounters::signaled),
            new Counter("doorbells", "posts", "Posts of chains of send work requests", LoopCounters::doorbells),
            new Counter("polls", "polls", "Polls of the completion queue", LoopCounters::polls),
            new Counter("polls.empty", "polls", "Polls that found nothing", LoopCounters::emptyPolls),
            new Counter("sleeps", "sleeps", "Times that the loop slept until it was woken", LoopCounters::sleeps),
            new Counter("completions", "completions", "Completions polled", LoopCounters::completions),
            new Counter(
                    "completions.flushed",
                    "completions",
                    "Completions of requests that ended with their connection",
                    LoopCounters::flushed),
            new Counter(
                    "completions.stale",
                    "completions",
                    "Completions of connections that no longer existed",
                    LoopCounters::stale),
            new Counter(
                    "receives.reposted",
                    "receives",
                    "Receives posted again after their first use",
                    LoopCounters::reposted),
            new Counter(
                    "receives.starved",
                    "receives",
                    "Times that the last posted receive of a connection was used",
                    LoopCounters::starved),
            new Counter(
                    "credits.waits",
                    BaseUnits.MESSAGES,
                    "Messages that waited because the peer had no receive for them",
                    LoopCounters::creditWaits),
            new Counter("credits.frames", "frames", "Frames that carried credits only", LoopCounters::creditFrames),
            new Counter(
                    "datagrams.malformed",
                    "datagrams",
                    "Datagrams dropped: too short, or without a readable sender",
                    LoopCounters::malformed),
            new Counter(
                    "messages.lost",
                    BaseUnits.MESSAGES,
                    "Messages that were lost on their way to unreliable connections",
                    LoopCounters::lost),
            new Counter(
                    "migrations",
                    "migrations",
                    "Migrations of connections to their alternate path",
                    LoopCounters::migrations),
            new Counter("listener.errors", "errors", "Listeners that threw on the loop", LoopCounters::listenerErrors)
        }) {
            FunctionCounter.builder("rdma.loop." + one.name, counters, one.value)
                    .tags(tags)
                    .baseUnit(one.unit)
                    .description(one.description)
                    .register(registry);
        }
    }
}
