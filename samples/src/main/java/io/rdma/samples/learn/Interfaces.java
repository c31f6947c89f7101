package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.PostingInterface;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A comparison of the two interfaces of libibverbs for posting and polling. The same code uses both and measures the
 * cost of a write by each.
 */
@Command(
        name = "interfaces",
        mixinStandardHelpOptions = true,
        description = "Compare the classic and the extended interface of posting and polling.")
final class Interfaces implements Callable<Integer> {
    private static final List<Integer> CHAINS = List.of(1, 4, 16, 64);
    private static final int BYTES = 8;

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private Measuring measuring = new Measuring();

    @Override
    public Integer call() {
        Table posting = new Table(
                "learn-interfaces-posting", "chain", "us for a write, posting", List.of("classic", "extended"));
        Table polling = new Table(
                "learn-interfaces-polling", "chain", "us for a completion, polling", List.of("classic", "extended"));
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                Side classic = new Side(context, domain, BYTES, PostingInterface.CLASSIC);
                Side extended = new Side(context, domain, BYTES, PostingInterface.EXTENDED)) {
            classic.connect(extended.address());
            extended.connect(classic.address());
            for (int chain : CHAINS) {
                double[] byClassic = cost(classic, extended.address(), chain);
                double[] byExtended = cost(extended, classic.address(), chain);
                posting.row(chain, byClassic[0], byExtended[0]);
                polling.row(chain, byClassic[1], byExtended[1]);
            }
        }
        posting.finish(measuring.output);
        polling.finish(measuring.output);
        return 0;
    }

    /**
     * Measures the cost of a write.
     *
     * @return microseconds of the posting and of the polling thread for each write; polls that find nothing are
     *     not counted
     */
    private double[] cost(Side from, Address to, int chain) {
        int rounds = Math.max(1, measuring.count() / chain);
        long posting = 0;
        long polling = 0;
        for (int round = -rounds; round < rounds; round++) { // rounds below 0 warm up
            from.sends.clear();
            for (int i = 0; i < chain; i++) {
                from.sends
                        .add(i, WorkRequestOpcode.RDMA_WRITE)
                        .remote(to.memory().address(), to.memory().rkey())
                        .signaled()
                        .entry(from.memory.segment().address(), BYTES, from.memory.lkey());
            }
            long start = System.nanoTime();
            from.post();
            long posted = System.nanoTime() - start;
            long polled = 0;
            for (int done = 0; done < chain; ) {
                start = System.nanoTime();
                int taken = from.poll();
                polled += taken > 0 ? System.nanoTime() - start : 0;
                done += taken;
            }
            if (round >= 0) {
                posting += posted;
                polling += polled;
            }
        }
        double writes = 1e3 * rounds * chain;
        return new double[] {posting / writes, polling / writes};
    }
}
