package com.example.echo;

import io.rdma.reactive.RdmaConnection;
import io.rdma.spring.boot.RdmaConnectionHandler;
import org.reactivestreams.Publisher;
import org.springframework.stereotype.Component;

/** Handler that sends each message back. */
@Component
class Echo implements RdmaConnectionHandler {
    @Override
    public Publisher<Void> handle(RdmaConnection connection) {
        return connection.sendString(connection.receive().asString());
    }
}
