package io.rdma.reactive.structures;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructuresContractTest extends StructuresContract {
    @Override
    String device() {
        return "rxe0";
    }
}
