package io.rdma.verbs;

/** The verbs of the software device by the extended interfaces of posting and polling. */
class SoftExtendedVerbsContractTest extends SoftVerbsContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
