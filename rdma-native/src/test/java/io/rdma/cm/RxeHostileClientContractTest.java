package io.rdma.cm;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHostileClientContractTest extends HostileClientContract {
    @Override
    String device() {
        return "rxe0";
    }
}
