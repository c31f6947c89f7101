package io.rdma.verbs;

import io.rdma.types.PostingInterface;

/** Datagrams of the software device through the extended interfaces for posting and polling. */
class SoftExtendedDatagramContractTest extends SoftDatagramContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
