package io.rdma.samples.simulation.world;

import io.rdma.environment.Environment;
import io.rdma.environment.Network;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.samples.simulation.network.HostNetwork;
import io.rdma.samples.simulation.network.Wire;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Owner;
import io.rdma.samples.simulation.schedule.Scheduler;
import io.rdma.samples.simulation.schedule.Simulation;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.random.RandomGenerator;

/** Simulated host: its clock, threads, random numbers and network, and a software device of its own. */
public final class Host implements Environment {
    private static final long BIRTH = 1_700_000_000_000_000_000L;

    private final Simulation simulation;
    private final Scheduler scheduler;
    private final Owner owner;
    private final InetAddress address;
    private final HostNetwork network;
    private final RandomGenerator random;
    private final SoftVerbs verbs;
    private long wallClock = BIRTH;

    Host(Simulation simulation, Wire wire, Choices choices, String name, int number) {
        this.simulation = simulation;
        scheduler = simulation.scheduler();
        owner = new Owner(name);
        try {
            address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
        network = new HostNetwork(wire, address);
        random = choices.generator();
        verbs = new SoftVerbs(SoftConfig.at(address, SoftAddress.ROCE_PORT).within(this, network));
    }

    /** Starts a thread of this host. */
    public void run(String task, Runnable run) {
        scheduler.as(owner, () -> start(task, run));
    }

    public boolean isAlive() {
        return owner.isAlive();
    }

    /** Ends the process. Its kernel closes its sockets. */
    public void kill() {
        owner.kill();
        network.kill(true);
    }

    /** Ends the host without a word. */
    public void losePower() {
        owner.kill();
        network.kill(false);
    }

    /** Stops all threads and timers of this host for some time. What arrives meanwhile waits. */
    void standStill(long nanos) {
        owner.standStill(scheduler.after(nanos));
    }

    /** Sets the wall clock. The clock that never jumps goes on. */
    void shiftClock(long nanos) {
        wallClock += nanos;
    }

    public InetAddress address() {
        return address;
    }

    public SoftVerbs verbs() {
        return verbs;
    }

    /** Returns the device as the library sees it. */
    Verbs seam() {
        return Completions.told(verbs, simulation.trace());
    }

    @Override
    public long nanoTime() {
        return scheduler.now();
    }

    @Override
    public long epochNanos() {
        return wallClock + scheduler.now();
    }

    @Override
    public Thread newThread(String task, Runnable run) {
        return simulation.threads().name(task).unstarted(run);
    }

    @Override
    public void start(String task, Runnable run) {
        newThread(task, run).start();
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        io.rdma.samples.simulation.schedule.Timer timer =
                scheduler.at(scheduler.after(nanos), () -> start("timer", task));
        return () -> timer.cancel(false);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Network network() {
        return network;
    }

    @Override
    public String toString() {
        return owner.toString();
    }
}
