package io.rdma.samples.simulation.world;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.samples.simulation.schedule.Task;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.types.RdmaException;
import java.util.ArrayList;
import java.util.List;

/** Findings of a run. */
public final class Verdict {
    private final Trace trace;
    private final boolean calm;
    private final List<String> wrong = new ArrayList<>();
    private final List<Recorder<?>> recorders = new ArrayList<>();
    private long messages;

    /**
     * @param calm whether nothing may fail
     */
    Verdict(Trace trace, boolean calm) {
        this.trace = trace;
        this.calm = calm;
    }

    void note(String what) {
        trace.note(what);
    }

    void begun(Recorder<?> recorder) {
        recorders.add(recorder);
    }

    void message() {
        messages++;
    }

    void check(boolean holds, String otherwise) {
        if (!holds) {
            wrong.add(otherwise);
            trace.note("WRONG: " + otherwise);
        }
    }

    /**
     * Notes a failure. It is wrong if it is not one of RDMA, or if nothing may fail. But a send may fail because the
     * peer, which has the message, closed before the acknowledgment arrived: datagrams overtake each other.
     */
    void failure(String where, Throwable failure) {
        note(where + " failed: " + failure);
        boolean closedByPeer = failure instanceof ConnectionClosedException && failure.getCause() == null;
        if (!(failure instanceof RdmaException) || calm && !closedByPeer) {
            unexpected(where, failure);
        }
    }

    void unexpected(String where, Throwable failure) {
        StringBuilder text = new StringBuilder(where + ": " + failure);
        for (StackTraceElement frame : failure.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        check(false, text.toString());
    }

    /** Ends the run: nothing may be left. */
    void close(boolean finished, List<Task> alive) {
        check(finished, "the run did not end within its time");
        recorders.forEach(each -> check(each.hasEnded() || !each.mustEnd(), each + " never ended"));
        alive.forEach(each -> check(false, "a thread is left: " + each + each.where()));
    }

    /** Returns the number of messages that were sent. */
    public long messages() {
        return messages;
    }

    /** Returns what was wrong, empty if nothing was. */
    public List<String> wrong() {
        return wrong;
    }
}
