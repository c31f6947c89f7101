package io.rdma.verbs;

import io.rdma.types.PostingInterface;

/** Unreliable connections of the software device through the extended interfaces for posting and polling. */
class SoftExtendedUnreliableConnectionContractTest extends SoftUnreliableConnectionContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
