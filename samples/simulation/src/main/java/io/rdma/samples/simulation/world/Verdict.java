package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Task;
import io.rdma.samples.simulation.schedule.Trace;
import java.util.ArrayList;
import java.util.List;

/** What was wrong in a run. */
public final class Verdict {
    private final Trace trace;
    private final List<String> wrong = new ArrayList<>();
    private final List<Recorder<?>> recorders = new ArrayList<>();
    private long messages;

    Verdict(Trace trace) {
        this.trace = trace;
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
