package io.rdma.verbs;

class SoftOptionalVerbsContractTest extends OptionalVerbsContract {
    @Override
    String device() {
        return "soft0";
    }
}
