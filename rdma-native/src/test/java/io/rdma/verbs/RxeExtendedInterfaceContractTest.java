package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeExtendedInterfaceContractTest extends ExtendedInterfaceContract {
    @Override
    String device() {
        return "rxe0";
    }
}
