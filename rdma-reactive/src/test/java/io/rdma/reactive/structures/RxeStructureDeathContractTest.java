package io.rdma.reactive.structures;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructureDeathContractTest extends StructureDeathContract {
    @Override
    String device() {
        return "rxe0";
    }
}
