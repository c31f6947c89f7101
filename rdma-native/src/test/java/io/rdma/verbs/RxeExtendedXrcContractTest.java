package io.rdma.verbs;

import io.rdma.types.PostingInterface;
import org.junit.jupiter.api.Tag;

/** Extended reliable connections of libibverbs through the extended interfaces for posting and polling. */
@Tag("rxe")
class RxeExtendedXrcContractTest extends RxeXrcContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
