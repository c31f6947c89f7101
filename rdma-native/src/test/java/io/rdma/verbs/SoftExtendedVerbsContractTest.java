package io.rdma.verbs;

/** The verbs of the software device by the extended interfaces of posting and polling. */
class SoftExtendedVerbsContractTest extends SoftVerbsContractTest {
    @Override
    VerbsInterface way() {
        return VerbsInterface.EXTENDED;
    }
}
