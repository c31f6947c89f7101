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
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamCall;
import io.rdma.testing.seam.SeamFault;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Simulated host: its clock, threads, random numbers and network, and a software device of its own. */
public final class Host implements Environment {
    private static final long BIRTH = 1_700_000_000_000_000_000L;

    private static final int MANY_LOOKS = 300;
    private static final Duration OWNERS_TRY = Duration.ofMillis(600);

    private final Simulation simulation;
    private final Scheduler scheduler;
    private final Owner owner;
    private final InetAddress address;
    private final HostNetwork network;
    private final RandomGenerator random;
    private final SoftVerbs verbs;
    private final FaultySeam faults;
    private long wallClock = BIRTH;
    private long lookedIn;
    private int looks;

    /**
     * @param number of the host, from 1
     * @param faults what fails at the seam of the device
     */
    Host(Simulation simulation, Wire wire, Choices choices, String name, int number, List<SeamFault> faults) {
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
        this.faults = new FaultySeam(verbs, faults);
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
        return Completions.told(faults.verbs(), simulation.trace());
    }

    /** Returns what fails between the library and the device, and the objects that are open there. */
    FaultySeam faults() {
        return faults;
    }

    /** Returns whether a planned fault has struck. */
    boolean isStruck() {
        return !faults.struck().isEmpty();
    }

    HostNetwork sockets() {
        return network;
    }

    /**
     * Ends objects that the device was made to refuse to destroy, after a time in which their owners may try again.
     * What waits for their end can go on.
     */
    void settle() {
        if (hasRefused()) {
            LockSupport.parkNanos(OWNERS_TRY.toNanos());
            faults.endRefused();
        }
    }

    /** Tells where a fault struck last. */
    void tellFault() {
        Throwable at = faults.struckAt();
        if (at != null) {
            StringBuilder text = new StringBuilder(owner + ": " + faults.struck() + ", the last one here:");
            Stream.of(at.getStackTrace())
                    .filter(frame -> frame.getClassName().startsWith("io.rdma.")
                            && !frame.getClassName().startsWith("io.rdma.testing."))
                    .forEach(frame -> text.append("\n    at ").append(frame));
            simulation.trace().tell(text.toString());
        }
    }

    /** Returns whether objects are left only because the device was made to refuse to destroy one. */
    boolean isLeftByRefusal() {
        return !faults.left().isEmpty() && faults.isLeftByRefusal();
    }

    /** Returns whether the device was made to refuse to destroy an object. Its owner may try again at its own end. */
    boolean hasRefused() {
        return faults.struck().stream()
                .anyMatch(fault -> !SeamCall.named(fault.call()).ends().isEmpty());
    }

    Owner owner() {
        return owner;
    }

    /** Time stands still within a step. A thread that looks at the clock again and again waits for it to go on. */
    @Override
    public long nanoTime() {
        if (scheduler.steps() != lookedIn) {
            lookedIn = scheduler.steps();
            looks = 0;
        } else if (++looks > MANY_LOOKS && Thread.currentThread().isVirtual()) {
            scheduler.pause();
        }
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
    public RandomGenerator jitter() {
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
