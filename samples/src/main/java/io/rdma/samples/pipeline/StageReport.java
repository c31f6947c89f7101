package io.rdma.samples.pipeline;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The state of a stage at some time. As text, it is a line for people and for {@link PipelineRun}.
 *
 * @param stage which one
 * @param micros time, by a clock of the host that is the same for all its processes
 * @param blocks that it has made (producer), received (transform) or finished (sink)
 * @param waiting send buffers in use: the message is encoded, and the next stage's device does not yet have it
 * @param credits receive buffers that the stage before may still send to
 * @param starvations how often a message had to wait for a credit of the next stage
 */
record StageReport(Stage stage, long micros, long blocks, int waiting, int credits, long starvations) {
    private static final Pattern LINE = Pattern.compile(
            "\\[ *(\\d{1,11})\\.(\\d{6})] (\\S+): (\\d{1,18}) blocks, (\\d{1,9}) waiting, (\\d{1,9}) credits, (\\d{1,18}) starvations");

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "[%5d.%06d] %s: %d blocks, %d waiting, %d credits, %d starvations",
                micros / 1_000_000,
                micros % 1_000_000,
                stage.command(),
                blocks,
                waiting,
                credits,
                starvations);
    }

    /** Returns the blocks per second since an earlier report of the same stage. */
    double rateSince(StageReport earlier) {
        return micros <= earlier.micros ? 0 : (blocks - earlier.blocks) * 1e6 / (micros - earlier.micros);
    }

    /** Parses a line. Returns empty for a line that is not a report. */
    static Optional<StageReport> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new StageReport(
                    Stage.valueOf(matcher.group(3).toUpperCase(Locale.ROOT)),
                    Long.parseLong(matcher.group(1)) * 1_000_000 + Long.parseLong(matcher.group(2)),
                    Long.parseLong(matcher.group(4)),
                    Integer.parseInt(matcher.group(5)),
                    Integer.parseInt(matcher.group(6)),
                    Long.parseLong(matcher.group(7))));
        } catch (IllegalArgumentException e) { // a line that only looks like a report
            return Optional.empty();
        }
    }
}
