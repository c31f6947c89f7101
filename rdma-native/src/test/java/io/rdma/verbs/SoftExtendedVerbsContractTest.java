package io.rdma.verbs;

/** Verbs of the software device through the extended interfaces for posting and polling. */
class SoftExtendedVerbsContractTest extends SoftVerbsContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
