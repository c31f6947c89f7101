package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.loop.CompletionLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What the engine says of itself: when its connections are closed, it has what it had before them. */
final class Books {
    private static final Duration PATIENCE = Duration.ofMillis(10);
    private static final int ATTEMPTS = 500;

    private final RdmaResources resources;
    private final List<CompletionLoop> loops;
    /** Entries that shared receives have reserved in each completion queue, by loop. A loop begins with one queue. */
    private final int[] reserved;
    /** Bytes of shared receives. */
    private final long registered;

    /**
     * Opens the books.
     *
     * @param resources without connections
     */
    Books(RdmaResources resources) {
        this.resources = resources;
        loops = DeviceResources.of(resources).loops();
        reserved = loops.stream().mapToInt(CompletionLoop::reservedEntries).toArray();
        registered = registered();
    }

    private long registered() {
        return resources.registrationBudget().registered();
    }

    /** Checks that nothing of closed connections is left, unless the device refused to destroy an object of them. */
    void check(Host host, Verdict verdict) {
        List<String> left = left();
        for (int i = 0; i < ATTEMPTS && !left.isEmpty() && !host.hasRefused(); i++) {
            LockSupport.parkNanos(PATIENCE.toNanos());
            left = left();
        }
        if (!host.hasRefused()) {
            left.forEach(one -> verdict.check(false, host + ": " + one));
        }
    }

    private List<String> left() {
        List<String> left = new ArrayList<>();
        int members = loops.stream().mapToInt(loop -> loop.members().size()).sum();
        if (members != 0) {
            left.add(members + " connections are left on a loop");
        }
        for (int i = 0; i < reserved.length; i++) {
            int now = loops.get(i).reservedEntries(); // a loop may have more queues than before
            if (now % Math.max(1, reserved[i]) != 0 || reserved[i] == 0 && now != 0) {
                left.add(now + " entries of completion queues are left reserved, in place of " + reserved[i] + " each");
            }
        }
        if (registered() != registered) {
            left.add(registered() - registered + " bytes are left registered");
        }
        return left;
    }
}
