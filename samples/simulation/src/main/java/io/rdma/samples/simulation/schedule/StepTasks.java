package io.rdma.samples.simulation.schedule;

import java.util.List;
import java.util.PriorityQueue;

/** Tasks that run between two steps, whatever the time is. */
final class StepTasks {
    private final PriorityQueue<BeforeStep> waiting = new PriorityQueue<>();

    private record BeforeStep(long number, Runnable task) implements Comparable<BeforeStep> {
        @Override
        public int compareTo(BeforeStep other) {
            return Long.compare(number, other.number);
        }
    }

    void add(long number, Runnable task) {
        waiting.add(new BeforeStep(number, task));
    }

    /** Returns whether a task runs before the step of a number. */
    boolean isDue(long step) {
        BeforeStep next = waiting.peek();
        return next != null && next.number <= step;
    }

    /**
     * Runs the tasks before the step of a number.
     *
     * @param ready steps that are ready, to which the tasks add
     * @param chosen index of the one that comes next
     * @return the same, or that of a step that the last task has made ready
     */
    int run(long step, List<Runnable> ready, int chosen) {
        int next = chosen;
        while (isDue(step)) {
            int others = ready.size();
            waiting.remove().task.run();
            next = ready.size() > others ? others : next;
        }
        return next;
    }
}
