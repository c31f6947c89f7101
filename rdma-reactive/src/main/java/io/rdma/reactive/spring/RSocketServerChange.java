package io.rdma.reactive.spring;

import io.rsocket.core.RSocketServer;

/**
 * Change to an RSocket server before it listens. One type for all of them, so that Spring Boot's need not be on the
 * class path.
 */
@FunctionalInterface
interface RSocketServerChange {
    void applyTo(RSocketServer server);
}
