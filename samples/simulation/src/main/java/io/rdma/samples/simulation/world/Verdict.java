package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaConnectException;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.samples.simulation.schedule.Owner;
import io.rdma.samples.simulation.schedule.Scheduler;
import io.rdma.samples.simulation.schedule.Task;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.structures.StructureException;
import io.rdma.testing.seam.SeamFault;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Findings of a run. */
public final class Verdict {
    /** Name of a completion loop in a message. Its number counts through all runs of a JVM. */
    private static final Pattern LOOP = Pattern.compile("(rdma-loop-\\w+)-\\d+");

    private final Trace trace;
    private final boolean calm;
    private final boolean seamFails;
    private final Silence silence;
    private final List<String> wrong = new ArrayList<>();
    private final List<Progress<?>> calls = new ArrayList<>();
    private long messages;
    private long datagrams;

    /**
     * @param plan of the run
     */
    Verdict(Trace trace, Plan plan) {
        this.trace = trace;
        calm = plan.isCalm();
        seamFails = !plan.hostFaults().isEmpty();
        silence = Silence.of(plan);
    }

    private void progress() {
        long tooLong = silence.end(trace.now());
        if (tooLong > 0) {
            check(false, "nothing happened for " + tooLong / 1_000_000 + " ms");
        }
    }

    /** Exception that a simulated application throws. */
    static class ApplicationFailure extends RuntimeException {
        private static final long serialVersionUID = 1;

        ApplicationFailure(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    void note(String what) {
        progress();
        trace.note(LOOP.matcher(what).replaceAll("$1"));
    }

    void begun(Progress<?> call) {
        calls.add(call);
        note(call + " begins");
    }

    void message() {
        messages++;
        progress();
    }

    void datagrams(long arrived) {
        datagrams = arrived;
    }

    void check(boolean holds, String otherwise) {
        if (!holds) {
            wrong.add(otherwise);
            note("WRONG: " + otherwise.lines().findFirst().orElse(""));
        }
    }

    /**
     * Notes a failure. It is wrong if it is not one of RDMA, or if nothing may fail. But a send may fail because the
     * peer, which has the message, closed before the acknowledgment arrived: datagrams overtake each other.
     */
    void failure(String where, Throwable failure) {
        note(where + " failed:", failure);
        boolean closedByPeer = failure instanceof ConnectionClosedException && failure.getCause() == null;
        if (failure instanceof ApplicationFailure || failure instanceof StructureException known && isRight(known)) {
            return;
        }
        if (failure instanceof StructureException
                || !(failure instanceof RdmaException) && !isInjected(failure)
                || calm && !closedByPeer) {
            unexpected(where, failure);
        }
    }

    /**
     * Returns whether an operation on a structure may fail for a reason. The models say whether a conflict is right,
     * and {@link StructureWork} whether a buffer is too small. Two writers that are held for four leases make a record
     * busy.
     */
    private static boolean isRight(StructureException failure) {
        return switch (failure.reason()) {
            case CONFLICT, SMALL_BUFFERS, BUSY -> true;
            default -> false;
        };
    }

    /** Notes a failure on a host. It is wrong unless the seam of that host has failed. */
    void failure(String where, Host on, Throwable failure) {
        if (on.isStruck()) {
            failure(where, failure);
        } else {
            unexpected(where, failure);
        }
    }

    /** Returns whether a planned failure of the seam is among the causes of a failure. */
    boolean isInjected(Throwable failure) {
        for (Throwable cause = failure; seamFails && cause != null; cause = cause.getCause()) {
            if (cause instanceof SeamFault.Thrown
                    || cause instanceof SeamFault.ThrownError
                    || cause instanceof VerbsException
                            && String.valueOf(cause.getMessage()).contains("injected: ")) {
                return true;
            }
        }
        return false;
    }

    /** Notes a failure, and tells its text. The text may name a loop, whose number is that of the JVM. */
    private void note(String what, Throwable failure) {
        note(what
                + ' '
                + failure.getClass().getSimpleName()
                + (failure instanceof RdmaConnectException known ? " " + known.reason() : ""));
        trace.tell(failure.toString());
    }

    void unexpected(String where, Throwable failure) {
        StringBuilder text = new StringBuilder(where + ": " + failure);
        for (StackTraceElement frame : failure.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        check(false, text.toString());
    }

    /** Waits for the end of a call, in virtual time. Returns false if it has not ended. */
    boolean endsWithin(Duration bound, Call<?> call) {
        try {
            call.end().get(bound.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | CancellationException e) {
            return true;
        } catch (TimeoutException | InterruptedException e) {
            check(false, call + " has not ended within " + bound);
            return false;
        }
    }

    /** Ends the run: nothing may be left. */
    void close(boolean finished, List<Host> hosts, Scheduler scheduler) {
        List<Owner> excused =
                hosts.stream().filter(Host::isLeftByRefusal).map(Host::owner).toList();
        List<Task> alive = scheduler.alive().stream()
                .filter(each -> !excused.contains(each.owner()))
                .toList();
        // What waits for objects that cannot end goes on for ever.
        if (!finished && (!alive.isEmpty() || excused.isEmpty())) {
            check(false, "the run did not end, " + scheduler.busiest());
        }
        calls.forEach(each -> check(each.hasEnded() || !each.mustEnd(), each + " never ended"));
        alive.forEach(each -> check(false, "a thread is left: " + each + each.where()));
        hosts.stream().filter(host -> host.isAlive() && !host.isLeftByRefusal()).forEach(host -> {
            host.faults().left().forEach(one -> check(false, host + ": " + one));
            host.sockets().open().forEach(one -> check(false, host + ": a socket is left: " + one));
        });
    }

    /** Returns the number of messages that were sent. */
    public long messages() {
        return messages;
    }

    /** Returns the number of datagrams that arrived. */
    public long datagrams() {
        return datagrams;
    }

    /** Returns what was wrong, empty if nothing was. */
    public List<String> wrong() {
        return wrong;
    }
}
