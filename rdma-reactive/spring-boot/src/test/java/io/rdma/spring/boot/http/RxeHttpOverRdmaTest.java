package io.rdma.spring.boot.http;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttpOverRdmaTest extends HttpOverRdmaContract {
    @Override
    String device() {
        return "rxe0";
    }
}
