package io.rdma.coroutines

class SoftEventsContractTest : EventsContract() {
    override val device = "soft0"
}
