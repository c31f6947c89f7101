package io.rdma.verbs;

import io.rdma.types.PostingInterface;

/** Verbs of the software device through the extended interfaces for posting and polling. */
class SoftExtendedVerbsContractTest extends SoftVerbsContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
