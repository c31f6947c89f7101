package io.rdma.coroutines

class OdpOnDemandContractTest : OnDemandContract() {
    override val device = "soft-odp0"
}
