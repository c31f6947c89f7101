package io.rdma.verbs;

import io.rdma.types.PostingInterface;
import org.junit.jupiter.api.Tag;

/** Verbs of libibverbs through the extended interfaces for posting and polling. */
@Tag("rxe")
class RxeExtendedVerbsContractTest extends RxeVerbsContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }

    /** librxe before rdma-core 64 adds the first entry's length once for each entry. */
    @Override
    boolean gathers() {
        return false;
    }
}
