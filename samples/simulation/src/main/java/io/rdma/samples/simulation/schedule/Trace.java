package io.rdma.samples.simulation.schedule;

import java.util.ArrayList;
import java.util.List;

/** Record of a simulation: each step with its time and its thread, and the notes of the simulated world. */
public final class Trace {
    private static final long PRIME = 0x100000001b3L; // of FNV-1a

    private final boolean told;
    private final List<String> lines = new ArrayList<>();
    private long digest = 0xcbf29ce484222325L;
    private long now;

    /**
     * @param told whether to keep the lines; the digest is kept in any case
     */
    public Trace(boolean told) {
        this.told = told;
    }

    void step(long at, Task task) {
        now = at;
        mix(at);
        mix(task.number());
        if (told) {
            lines.add("%,15d ns  %s".formatted(at, task));
        }
    }

    /** Notes something that happened in the current step, and happens in each run with the seed. */
    public void note(String what) {
        for (int i = 0; i < what.length(); i++) {
            mix(what.charAt(i));
        }
        tell(what);
    }

    /** Adds something to the story that is not the same in each run, such as a line of the log. */
    public void tell(String what) {
        if (told) {
            lines.add("%,15d ns      %s".formatted(now, what));
        }
    }

    private void mix(long value) {
        digest = (digest ^ value) * PRIME;
    }

    /** Returns a number that is the same for two simulations in which the same happened. */
    public long digest() {
        return digest;
    }

    public List<String> lines() {
        return lines;
    }
}
