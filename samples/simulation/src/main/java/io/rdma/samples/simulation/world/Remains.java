package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.samples.simulation.schedule.Scheduler;
import io.rdma.samples.simulation.schedule.Task;
import java.util.List;

/** What the server has of clients that are gone: connections, and exchanges under way. */
final class Remains {
    /** Thread of an exchange over TCP, and of one by RDMA CM. */
    private static final String EXCHANGE = "rdma-accept";

    private final DeviceResources resources;
    private final Scheduler scheduler;
    private final long longest;

    Remains(RdmaResources resources, Scheduler scheduler, Plan plan) {
        this.resources = DeviceResources.of(resources);
        this.scheduler = scheduler;
        long faults = plan.faults().stream().mapToLong(Plan.Fault::lasts).sum(); // an exchange may begin after a cut
        longest = plan.connecting().server().longestConnect() + faults;
    }

    /** Checks that nothing is left when exchanges have had their time. The server ends next, which would end it. */
    void awaitNone(Verdict verdict) throws InterruptedException {
        long latest = scheduler.now() + longest;
        while (!(resources.endpoints().isEmpty() && exchanges().isEmpty()) && scheduler.now() < latest) {
            Thread.sleep(10);
        }
        int left = resources.endpoints().size();
        verdict.check(left == 0, left + " connections are left of clients that are gone");
        exchanges().forEach(each -> verdict.check(false, "an exchange goes on for ever: " + each));
    }

    private List<Task> exchanges() {
        return scheduler.alive().stream()
                .filter(task -> task.toString().endsWith(EXCHANGE))
                .toList();
    }
}
