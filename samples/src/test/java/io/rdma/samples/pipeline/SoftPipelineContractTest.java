package io.rdma.samples.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.support.Language;
import io.rdma.testing.JavaProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SoftPipelineContractTest extends PipelineContract {
    @Override
    String device() {
        return "soft0";
    }

    /** The remaining stages notice that the stream is incomplete, and fail with an error message. */
    @ParameterizedTest
    @EnumSource(Language.class)
    void bothEndsFailWhenTheTransformDies(Language language) throws Exception {
        JavaProcess sink = stage(Stage.SINK, language.name(), "", "--slow-to", "1000000", "--sink-rate", "100");
        JavaProcess transform = stage(Stage.TRANSFORM, language.name(), port(sink));
        JavaProcess producer = stage(Stage.PRODUCER, language.name(), port(transform), "--count", "1000000");
        sink.await("some blocks", line -> line.contains("sink: ") && !line.contains("sink: 0 blocks"));
        transform.close();
        for (JavaProcess end : List.of(producer, sink)) {
            assertThat(end.ended(1).output()).containsPattern("(?m)^error: ").doesNotContain("done:");
        }
    }

    /** The producer ends the stream early. The blocks on the way still arrive and are checked. */
    @Test
    void aPipelineThatIsAskedToEndLosesNoBlock() throws Exception {
        JavaProcess all = run(List.of("--count", "100000", "--pause-at", "100", "--plot", plots()));
        all.await("sink: standing still after 100 blocks");
        all.terminate();
        assertThat(all.ended(128 + 15).output())
                .contains("all came once, in order and unchanged: ")
                .doesNotContain("100000 blocks, checksum");
    }
}
