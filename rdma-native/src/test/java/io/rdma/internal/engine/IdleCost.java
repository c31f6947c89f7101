package io.rdma.internal.engine;

import com.sun.management.OperatingSystemMXBean;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.testing.TestDevice;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Measurement of the share of a processor that quiet connections of {@code soft0} take, with both ends in this process.
 * Arguments: connections, seconds between probes, seconds to measure. After a build:
 *
 * <pre>{@code
 * java --enable-native-access=ALL-UNNAMED \
 *     -cp rdma-native/target/test-classes:rdma-native/target/classes:$(cat rdma-native/target/test-classpath.txt) \
 *     io.rdma.internal.engine.IdleCost 1000 10 60
 * }</pre>
 */
final class IdleCost {
    private IdleCost() {}

    public static void main(String[] args) throws Exception {
        int connections = Integer.parseInt(args[0]);
        ConnectionOptions options = ConnectionOptions.DEFAULT
                .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(4))
                .withReceiveBuffers(2, 64)
                .withSendBuffers(1, 64)
                .withSignalEvery(1)
                .withProbeInterval(Duration.ofSeconds(Integer.parseInt(args[1])));
        ResourceOptions resources = ResourceOptions.DEFAULT.withCompletionQueueEntries(32 * connections);
        try (DeviceResources both = new DeviceResources(TestDevice.assumed("soft0"), resources);
                RdmaListener listener = RdmaListener.bind(
                        both,
                        options,
                        AdmissionLimits.DEFAULT.withConnections(connections),
                        new InetSocketAddress("127.0.0.1", 0),
                        connection -> {})) {
            for (int i = 0; i < connections; i++) {
                ConnectedContract.connected(both, options, listener);
            }
            OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            TimeUnit.SECONDS.sleep(Integer.parseInt(args[1]) * 2L); // time for the JIT compiler
            LoopCounters counters = both.loops().getFirst().counters();
            long posted = counters.posted();
            long cpu = system.getProcessCpuTime();
            long since = System.nanoTime();
            TimeUnit.SECONDS.sleep(Integer.parseInt(args[2]));
            double share = (double) (system.getProcessCpuTime() - cpu) / (System.nanoTime() - since);
            System.out.printf(
                    "%d connections, both ends: %.2f %% of a processor, %d probes%n",
                    connections, 100 * share, counters.posted() - posted);
        }
    }
}
