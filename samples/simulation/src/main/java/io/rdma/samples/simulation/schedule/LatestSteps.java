package io.rdma.samples.simulation.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The latest steps of a simulation. They show which threads keep it from ending. */
final class LatestSteps {
    private static final int COUNT = 8192;
    private static final long NANOS = 1_000_000_000;
    private static final int NAMED = 3;

    private final Task[] tasks = new Task[COUNT];
    private final long[] times = new long[COUNT];
    private int next;

    void add(long now, Task task) {
        tasks[next] = task;
        times[next] = now;
        next = (next + 1) % COUNT;
    }

    /** Returns the threads that took most steps within the last second of virtual time, and where they are. */
    String busiest(long now) {
        Map<Task, Integer> counts = new HashMap<>();
        long earliest = now;
        int all = 0;
        for (int i = 0; i < COUNT; i++) {
            if (tasks[i] != null && times[i] > now - NANOS) {
                counts.merge(tasks[i], 1, Integer::sum);
                earliest = Math.min(earliest, times[i]);
                all++;
            }
        }
        List<Task> busiest = new ArrayList<>(counts.keySet());
        busiest.sort(Comparator.<Task, Integer>comparing(counts::get).reversed().thenComparingInt(Task::number));
        StringBuilder text = new StringBuilder("it is busy");
        if (!busiest.isEmpty()) {
            text.append(" in ").append(busiest.getFirst().thread().getName());
            text.append(" at ").append(busiest.getFirst().method());
        }
        text.append("\nof the last %,d steps, in %,d µs,".formatted(all, (now - earliest) / 1000));
        for (Task task : busiest.subList(0, Math.min(NAMED, busiest.size()))) {
            text.append("\n%,d are of %s".formatted(counts.get(task), task)).append(task.where());
        }
        return text.toString();
    }
}
