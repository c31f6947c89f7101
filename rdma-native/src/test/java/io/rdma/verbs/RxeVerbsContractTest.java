package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeVerbsContractTest extends VerbsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
