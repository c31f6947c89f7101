package io.rdma.spring.boot;

import io.rdma.reactive.RdmaClient;

/**
 * Customizer of the auto-configured {@link RdmaClient}, as a bean. Customizers run in their order, after everything
 * that properties configure.
 */
@FunctionalInterface
public interface RdmaClientCustomizer {
    /**
     * Returns a customized client.
     *
     * @param client client of the customizers before, which is immutable
     * @return copy with other settings, or the same client
     */
    RdmaClient customize(RdmaClient client);
}
