package io.rdma.internal.engine;

import io.rdma.soft.SoftNetwork;
import java.util.Objects;

class SoftOnDemandPoolContractTest extends OnDemandPoolContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    long faults() {
        return Objects.requireNonNull(SoftNetwork.ofThisProcess().counters().get("page_faults"));
    }
}
