package io.rdma.samples.bench.soak;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.IdleStrategy;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.bench.exchange.VerbsServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The process that is observed. It contains both ends of all connections, so that a leak of either end is seen. */
public final class SoakProcess {
    /** Start of a line with a {@link Footprint}. The other lines are for the reader. */
    public static final String FOOTPRINT = "footprint ";

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private SoakProcess() {}

    /**
     * Runs the traffic. Prints the footprint a number of times, at equal intervals, and the number of operations at
     * the end.
     *
     * @param arguments device, seconds, number of footprints, concurrent visitors
     * @throws Exception on any unexpected failure
     */
    public static void main(String[] arguments) throws Exception {
        String device = arguments[0];
        long nanos = Long.parseLong(arguments[1]) * 1_000_000_000L;
        int samples = Integer.parseInt(arguments[2]);
        int visitors = Integer.parseInt(arguments[3]);
        LongAdder operations = new LongAdder();
        LongAdder visits = new LongAdder();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (RdmaResources servers = VerbsServer.resources(device, IdleStrategy.ADAPTIVE);
                RdmaResources clients = VerbsServer.resources(device, IdleStrategy.ADAPTIVE)) {
            DisposableServer server =
                    VerbsServer.server(RdmaServer.create().resources(servers).host("127.0.0.1"));
            RdmaClient client =
                    RdmaClient.create().resources(clients).host("127.0.0.1").port(server.port());
            long start = System.nanoTime();
            List<Thread> threads = new ArrayList<>();
            SplittableRandom random = new SplittableRandom();
            for (int i = 0; i < visitors; i++) {
                Visits visitor = new Visits(client, random.split(), operations);
                threads.add(Thread.ofPlatform().name("visitor-" + i).start(() -> {
                    try {
                        while (System.nanoTime() - start < nanos && failure.get() == null) {
                            visitor.visit();
                            visits.increment();
                        }
                    } catch (Throwable t) {
                        failure.compareAndSet(null, t);
                    }
                }));
            }
            for (int sample = 1; sample <= samples && failure.get() == null; sample++) {
                long due = start + nanos / samples * sample;
                Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
                System.out.println(FOOTPRINT + Footprint.now().line());
            }
            for (Thread thread : threads) {
                thread.join();
            }
            server.disposeNow(PATIENCE);
        }
        Throwable wrong = failure.get();
        if (wrong != null) {
            throw new IllegalStateException("a visit failed", wrong);
        }
        System.out.println(operations + " operations in " + visits + " connections");
    }
}
