package io.rdma.verbs;

import io.rdma.types.PostingInterface;

/** Extended reliable connections of the software device through the extended interfaces for posting and polling. */
class SoftExtendedXrcContractTest extends SoftXrcContractTest {
    @Override
    PostingInterface way() {
        return PostingInterface.EXTENDED;
    }
}
