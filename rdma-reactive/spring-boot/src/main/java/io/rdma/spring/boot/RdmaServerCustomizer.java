package io.rdma.spring.boot;

import io.rdma.reactive.RdmaServer;

/**
 * Customizer of the auto-configured {@link RdmaServer}, as a bean. Customizers run in their order, after everything
 * that properties configure.
 */
@FunctionalInterface
public interface RdmaServerCustomizer {
    /**
     * Returns a customized server.
     *
     * @param server server of the customizers before, which is immutable
     * @return copy with other settings, or the same server
     */
    RdmaServer customize(RdmaServer server);
}
