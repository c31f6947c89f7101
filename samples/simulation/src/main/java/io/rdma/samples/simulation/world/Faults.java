package io.rdma.samples.simulation.world;

import io.rdma.internal.soft.device.SoftFailure;
import io.rdma.samples.simulation.network.Weather;
import io.rdma.samples.simulation.network.Wire;
import io.rdma.samples.simulation.schedule.Scheduler;
import io.rdma.types.VerbsException;
import java.util.List;

/**
 * Faults of a run.
 *
 * @param plan with the faults
 * @param scheduler of the run
 * @param wire between the hosts
 * @param server host of the server
 * @param clients by number
 * @param stop stops the server
 * @param verdict that notes them
 */
record Faults(
        Plan plan,
        Scheduler scheduler,
        Wire wire,
        Host server,
        List<ClientProgram> clients,
        Runnable stop,
        Verdict verdict) {
    /** Calls of a session of which one is cancelled. */
    static final int CALLS = 8;

    /** Nanoseconds by which a clock goes back at most. */
    private static final long FARTHEST_BACK = 6_000_000_000L;

    /** Lets each fault happen at its time, or before its step. */
    void schedule() {
        for (Plan.Fault fault : plan.faults()) {
            if (fault.step() > 0) {
                scheduler.beforeStep(fault.step(), () -> scheduler.as(server.owner(), () -> happen(fault)));
            } else {
                scheduler.at(scheduler.now() + fault.at(), () -> happen(fault));
            }
        }
    }

    private void happen(Plan.Fault fault) {
        verdict.note("fault: " + fault);
        int planned = plan.clients().size(); // a smaller plan has fewer clients
        int target = fault.target() % (planned + 1);
        happen(fault, target == planned ? server : clients.get(target).host());
    }

    private void happen(Plan.Fault fault, Host host) {
        switch (fault.kind()) {
            case CUT -> wire.setWeather(Weather.CUT, fault.lasts());
            case STORM -> wire.setWeather(new Weather(1_000, 500_000, 100, 100, 50), fault.lasts());
            case PAUSE -> host.standStill(fault.lasts());
            case CLOCK -> host.shiftClock(fault.lasts() - FARTHEST_BACK);
            case STOP -> server.run("fault", stop);
            case DEVICE -> fail(host, SoftFailure.DEVICE);
            case COMPLETION_QUEUES -> fail(host, SoftFailure.COMPLETION_QUEUES);
            default -> happen(fault, clients.get(fault.target() % plan.clients().size()));
        }
    }

    private void happen(Plan.Fault fault, ClientProgram client) {
        switch (fault.kind()) {
            case KILL -> client.host().kill();
            case POWER -> client.host().losePower();
            case CLOSE -> client.fault(Session::closeEarly);
            case ABORT -> client.fault(Session::abort);
            case CANCEL -> client.cancel((int) fault.lasts() & (CALLS - 1));
            default -> throw new AssertionError(fault);
        }
    }

    private void fail(Host host, SoftFailure failure) {
        host.run("fault", () -> {
            try {
                host.verbs().fail(failure);
            } catch (VerbsException e) {
                verdict.note("no fault: " + e.getMessage());
            }
        });
    }
}
