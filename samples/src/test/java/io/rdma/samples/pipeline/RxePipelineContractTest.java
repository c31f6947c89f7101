package io.rdma.samples.pipeline;

import io.rdma.testing.TestDevice;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

// Each process takes half a minute to start on the one emulated processor of the virtual machine.
@Tag("rxe")
class RxePipelineContractTest extends PipelineContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** Returns one run with both languages: a hop from Java to Kotlin, and one from Kotlin to Java. */
    static List<Arguments> languages() {
        return List.of(Arguments.of("java", "kotlin", "java"));
    }

    @Override
    @Test
    @Disabled("four processes, one of which draws; the device is used as in the other case")
    void oneCommandRunsChecksAndDrawsAllOfIt() {}
}
