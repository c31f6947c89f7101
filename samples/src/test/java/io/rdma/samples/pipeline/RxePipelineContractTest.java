package io.rdma.samples.pipeline;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("rxe")
class RxePipelineContractTest extends PipelineContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    @Test
    @Disabled(
            "four JVMs, one of which draws: minutes on one emulated processor, and the device is used as in the other cases")
    void oneCommandRunsChecksAndDrawsAllOfIt() {}
}
