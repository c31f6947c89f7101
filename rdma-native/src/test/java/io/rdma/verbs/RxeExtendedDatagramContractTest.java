package io.rdma.verbs;

import io.rdma.types.PostingInterface;
import org.junit.jupiter.api.Tag;

/** Datagrams of libibverbs through the extended interfaces for posting and polling. */
@Tag("rxe")
class RxeExtendedDatagramContractTest extends RxeDatagramContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
