package io.rdma.spring.boot.test;

import io.rdma.reactive.RdmaConnection;
import io.rdma.spring.boot.RdmaConnectionHandler;
import org.reactivestreams.Publisher;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

/** Components of an application. A scan does not find those that are nested in a class of tests. */
final class Components {
    private Components() {}

    /** Application, whose package is scanned. */
    @SpringBootApplication
    static class Application {}

    /** Handler that the slice finds. */
    @Component
    static class Echo implements RdmaConnectionHandler {
        @Override
        public Publisher<Void> handle(RdmaConnection connection) {
            return connection.sendString(connection.receive().asString());
        }
    }

    /** Service that the slice leaves out. */
    @Service
    static class Unrelated {}
}
