package io.rdma.samples.pipeline;

import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

// Each process takes half a minute to start there, on one emulated processor.
@Tag("rxe")
class RxePipelineContractTest extends PipelineContract {
    @Override
    String device() {
        return "rxe0";
    }

    /** Both languages, and each hop once in either direction. */
    static List<Arguments> languages() {
        return List.of(Arguments.of("java", "kotlin", "java"));
    }

    @Override
    @Test
    @Disabled("four processes, one of which draws; the device is used as in the other case")
    void oneCommandRunsChecksAndDrawsAllOfIt() {}
}
