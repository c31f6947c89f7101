package io.rdma.samples.pipeline;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePipelineContractTest extends PipelineContract {
    @Override
    String device() {
        return "rxe0";
    }
}
