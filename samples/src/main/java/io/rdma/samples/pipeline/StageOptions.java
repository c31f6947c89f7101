package io.rdma.samples.pipeline;

import io.rdma.samples.support.Language;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all stages have. */
final class StageOptions {
    @Mixin
    private HopOptions hop = new HopOptions();

    @Option(
            names = "--language",
            defaultValue = "java",
            description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Language language = Language.java;

    @Option(
            names = "--report",
            defaultValue = "1000",
            paramLabel = "MILLIS",
            description = "Interval between reports; default: ${DEFAULT-VALUE}.")
    private int report;

    @Option(names = "--owned", hidden = true, description = "End when standard input does.")
    private boolean owned;

    /** Returns the arguments for a stage in another process, which is to end with this process. */
    static List<String> arguments(Language language, int report) {
        return List.of("--language", language.name(), "--report", Integer.toString(report), "--owned");
    }

    HopOptions hop() {
        return hop;
    }

    Stages stages() {
        return language == Language.java ? new ReactorStages() : new FlowStages();
    }

    StageReporter reporter(Stage stage) {
        return new StageReporter(stage, Duration.ofMillis(Math.max(1, report)));
    }

    boolean owned() {
        return owned;
    }
}
