package io.rdma.reactive.structures;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructureFaultsContractTest extends StructureFaultsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
