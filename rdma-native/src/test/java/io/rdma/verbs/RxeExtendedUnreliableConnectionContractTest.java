package io.rdma.verbs;

import io.rdma.types.PostingInterface;
import org.junit.jupiter.api.Tag;

/** Unreliable connections of libibverbs through the extended interfaces for posting and polling. */
@Tag("rxe")
class RxeExtendedUnreliableConnectionContractTest extends RxeUnreliableConnectionContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
