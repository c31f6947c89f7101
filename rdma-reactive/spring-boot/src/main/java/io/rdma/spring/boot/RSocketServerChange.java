package io.rdma.spring.boot;

import io.rsocket.core.RSocketServer;

/**
 * Change to an RSocket server before it listens. One type covers all changes, so that Spring Boot's own type need not
 * be on the class path.
 */
@FunctionalInterface
interface RSocketServerChange {
    void applyTo(RSocketServer server);
}
