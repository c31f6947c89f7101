package io.rdma.reactive;

class SoftEventsContractTest extends EventsContract {
    @Override
    String device() {
        return "soft0";
    }
}
