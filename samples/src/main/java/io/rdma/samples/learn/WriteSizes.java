package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A measurement of the size of writes: small ones have a low latency, large ones use the link well. Also measures the
 * effect of fewer signaled requests.
 */
@Command(
        name = "write-sizes",
        mixinStandardHelpOptions = true,
        description = "Writes of all sizes: the latency of one write, and the bandwidth of many in flight.")
final class WriteSizes implements Callable<Integer> {
    private static final int WINDOW = 64; // number in flight
    private static final int QUARTER = WINDOW / 4; // number that one completion covers

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private Measuring measuring = new Measuring();

    @Option(names = "--max-size", defaultValue = "1048576", description = "Largest write; default: ${DEFAULT-VALUE}.")
    private int largest = 1 << 20;

    @Override
    public Integer call() {
        Table latency = new Table("learn-write-latency", "bytes", "us, median", List.of("one at a time"));
        Table bandwidth = new Table(
                "learn-write-bandwidth",
                "bytes",
                "MB/s",
                List.of("one at a time", "all signaled", "every " + QUARTER + "th signaled"));
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                Side a = new Side(context, domain, largest);
                Side b = new Side(context, domain, largest)) {
            Address toB = b.address();
            a.connect(toB);
            b.connect(a.address());
            for (int size = 8; size <= largest; size *= 4) {
                int bytes = size;
                double alone = measuring.median(() -> {
                    chain(a, toB, bytes, 1, 1);
                    a.await(1);
                });
                latency.row(size, alone);
                bandwidth.row(size, size / alone, stream(a, toB, size, 1), stream(a, toB, size, QUARTER));
            }
        }
        latency.finish(measuring.output);
        bandwidth.finish(measuring.output);
        return 0;
    }

    /**
     * Keeps the window full: four chains are in flight, and the end of one posts the next.
     *
     * @return MB/s
     */
    private double stream(Side a, Address toB, int size, int signalEvery) {
        int chains = Math.max(8, measuring.count() / QUARTER);
        int completions = QUARTER / signalEvery;
        long start = System.nanoTime();
        for (int i = 0; i < chains; i++) {
            if (i >= WINDOW / QUARTER) {
                a.await(completions);
            }
            chain(a, toB, size, QUARTER, signalEvery);
        }
        a.await(completions * Math.min(chains, WINDOW / QUARTER));
        return 1e3 * size * QUARTER * chains / (System.nanoTime() - start);
    }

    /** Posts one chain with one doorbell. A completion means that all requests before it have ended too. */
    private static void chain(Side a, Address toB, int size, int writes, int signalEvery) {
        a.sends.clear();
        for (int i = 1; i <= writes; i++) {
            a.sends
                    .add(i, WorkRequestOpcode.RDMA_WRITE)
                    .remote(toB.memory().address(), toB.memory().rkey())
                    .entry(a.memory.segment().address(), size, a.memory.lkey());
            if (i % signalEvery == 0) {
                a.sends.signaled();
            }
        }
        a.post();
    }
}
