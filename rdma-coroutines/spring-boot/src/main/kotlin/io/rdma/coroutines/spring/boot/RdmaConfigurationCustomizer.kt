package io.rdma.coroutines.spring.boot

import io.rdma.coroutines.RdmaConfiguration

/**
 * Customizer of the client and the server of coroutines, as a bean. Customizers run in their order, after everything
 * that properties configure, each time that a connection is made or a server is bound.
 */
public fun interface RdmaConfigurationCustomizer {
    /** Changes [configuration]. */
    public fun customize(configuration: RdmaConfiguration)
}
