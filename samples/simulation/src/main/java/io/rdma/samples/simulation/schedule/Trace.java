package io.rdma.samples.simulation.schedule;

import java.util.ArrayList;
import java.util.List;

/** Record of a simulation: each step with its time and its thread, and the notes of the simulated world. */
public final class Trace {
    private static final long PRIME = 0x100000001b3L; // of FNV-1a

    private final Detail detail;
    private final List<String> lines = new ArrayList<>();
    private long digest = 0xcbf29ce484222325L;
    private long began;
    private long now;
    private Object who = "";

    /** What a trace keeps as lines. It has the digest in any case. */
    public enum Detail {
        /** Nothing. */
        NONE,
        /** What happens: the notes. */
        STORY,
        /** Also each step of each thread, and each datagram that the wire does not deliver as it was sent. */
        STEPS
    }

    public Trace(Detail detail) {
        this.detail = detail;
    }

    void begin(long at) {
        began = at;
        now = at;
    }

    /** Returns the virtual time of the current step. */
    public long now() {
        return now;
    }

    void step(long at, Task task) {
        actor(at, task);
        mix(at);
        mix(task.number());
        detail("");
    }

    /** Sets who does what is noted next. */
    void actor(long at, Object actor) {
        now = at;
        who = actor;
    }

    /** Notes something that happened in the current step, and happens in each run with the seed. */
    public void note(String what) {
        mix(what);
        tell(what);
    }

    /** Notes something that only a reader of the steps wants to know. */
    public void noteDetail(String what) {
        mix(what);
        detail(what);
    }

    /** Adds something to the story that is not the same in each run, such as a line of the log. */
    public void tell(String what) {
        if (isTold()) {
            lines.add("%,13.1f µs  %-32s  %s"
                    .formatted((now - began) / 1e3, who, what)
                    .stripTrailing());
        }
    }

    private void detail(String what) {
        if (detail == Detail.STEPS) {
            tell(what);
        }
    }

    /** Returns whether there are lines, so that it is worth while to tell something. */
    public boolean isTold() {
        return detail != Detail.NONE;
    }

    private void mix(String what) {
        for (int i = 0; i < what.length(); i++) {
            mix(what.charAt(i));
        }
    }

    private void mix(long value) {
        digest = (digest ^ value) * PRIME;
    }

    /** Returns a number that is the same for two simulations in which the same happened. */
    public long digest() {
        return digest;
    }

    /** Returns what happened: when, in microseconds since the beginning, on which host and thread, and what. */
    public List<String> lines() {
        return lines;
    }
}
