package io.rdma.samples.pipeline;

import io.rdma.samples.support.ProgressBar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

// Invariants
// - The reports of one stage are in the order of their times. All are accessed under the lock, since each stage has a
// thread that reads its output.
// - A display of several stages shows the last report of each, which is at most one interval old.

/** The reports of the stages so far, and their display during the run. */
final class PipelineWatch {
    private static final int LINES_WITHOUT_TERMINAL = 20;
    private static final int RATE_REPORTS = 5;

    private final long count;
    private final ProgressBar bar;
    private final Map<Stage, List<StageReport>> reports = new EnumMap<>(Stage.class);
    private boolean full;

    PipelineWatch(long count) {
        this.count = count;
        bar = new ProgressBar(count, LINES_WITHOUT_TERMINAL);
        for (Stage stage : Stage.values()) {
            reports.put(stage, new ArrayList<>());
        }
    }

    /** Adds a report of a stage. */
    synchronized void report(StageReport report) {
        of(report.stage()).add(report);
        if (report.stage() == Stage.SINK && !full && (bar.isTerminal() || bar.moves(report.blocks()))) {
            full = report.blocks() == count;
            bar.write("", Math.min(count, report.blocks()), state());
        }
    }

    /** Ends the display after the last report: moves the cursor off the line of the bar. */
    synchronized void finish() {
        if (bar.isTerminal() && !full) {
            System.out.println();
        }
    }

    private List<StageReport> of(Stage stage) {
        return Objects.requireNonNull(reports.get(stage));
    }

    private String state() {
        return String.format(
                Locale.ROOT,
                "  producer %6.0f/s %s  transform %6.0f/s %s  sink %6.0f/s",
                rate(Stage.PRODUCER),
                hop(Stage.PRODUCER, Stage.TRANSFORM),
                rate(Stage.TRANSFORM),
                hop(Stage.TRANSFORM, Stage.SINK),
                rate(Stage.SINK));
    }

    private String hop(Stage from, Stage to) {
        return String.format(
                Locale.ROOT,
                "(%d waiting, %d credits)",
                of(from).isEmpty() ? 0 : of(from).getLast().waiting(),
                of(to).isEmpty() ? 0 : of(to).getLast().credits());
    }

    private double rate(Stage stage) {
        List<StageReport> all = of(stage);
        return all.isEmpty() ? 0 : all.getLast().rateSince(all.get(Math.max(0, all.size() - RATE_REPORTS)));
    }

    /**
     * Returns whether the producer was further ahead of the sink than allowed. Each of its reports is compared
     * with a later report of the sink, so a breach that is found is real. A breach that is not found was shorter
     * than an interval.
     *
     * @return blocks ahead; 0 if it never was
     */
    synchronized long breach(long most) {
        long worst = 0;
        int next = 0;
        List<StageReport> sink = of(Stage.SINK);
        for (StageReport made : of(Stage.PRODUCER)) {
            while (next < sink.size() && sink.get(next).micros() <= made.micros()) {
                next++;
            }
            if (next < sink.size()) {
                worst = Math.max(worst, made.blocks() - sink.get(next).blocks());
            }
        }
        return worst > most ? worst : 0;
    }

    /** Draws the reports. */
    synchronized void plot(Path folder, Hop hop) {
        try {
            System.out.println("written: " + new PipelinePlot(reports, hop).write(folder));
        } catch (IOException | RuntimeException | LinkageError e) { // such as on a system without fonts
            System.out.println("no plot: " + e);
        }
    }
}
