package io.rdma.netty.clients;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCassandraContractTest extends CassandraContract {
    @Override
    String device() {
        return "rxe0";
    }
}
