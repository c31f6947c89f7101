package io.rdma.netty.clients;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeAwsContractTest extends AwsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
