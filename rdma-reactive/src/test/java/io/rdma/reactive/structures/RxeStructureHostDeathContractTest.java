package io.rdma.reactive.structures;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructureHostDeathContractTest extends StructureHostDeathContract {
    @Override
    String device() {
        return "rxe0";
    }
}
