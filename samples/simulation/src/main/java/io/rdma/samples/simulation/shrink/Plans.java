package io.rdma.samples.simulation.shrink;

import io.rdma.samples.simulation.world.Plan;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/** Plans as text. The text of a plan stays the same when what is drawn from its seed changes. */
public final class Plans {
    private static final String COMMENT = "#";
    private static final int SEED = seedField();

    private Plans() {}

    private static int seedField() {
        RecordComponent[] fields = Plan.class.getRecordComponents();
        int field = 0;
        while (!fields[field].getName().equals("seed")) {
            field++;
        }
        return field;
    }

    /** Returns a plan with another order of the threads. */
    public static Plan scheduled(Plan plan, long seed) {
        return Records.with(plan, SEED, seed);
    }

    /** Returns a plan as a line without spaces. */
    public static String write(Plan plan) {
        return RecordWriter.write(plan);
    }

    /**
     * Returns the plan of a text.
     *
     * @throws IllegalArgumentException if it is none; the message says where, and why
     */
    public static Plan read(String text) {
        return RecordReader.read(Plan.class, text);
    }

    /**
     * Returns the plans of a file: one in each line. Empty lines, and those that begin with #, are comments.
     *
     * @throws IllegalArgumentException if one cannot be read; the message names its line
     */
    public static List<Plan> readAll(List<String> lines) {
        List<Plan> plans = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith(COMMENT)) {
                try {
                    plans.add(read(line));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
                }
            }
        }
        return plans;
    }
}
