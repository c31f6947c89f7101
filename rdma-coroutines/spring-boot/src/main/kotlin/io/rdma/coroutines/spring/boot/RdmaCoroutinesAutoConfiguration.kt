package io.rdma.coroutines.spring.boot

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.spring.boot.RdmaAutoConfiguration
import io.rdma.spring.boot.RdmaConnectionDetails
import io.rdma.spring.boot.RdmaConnectionHandler
import io.rdma.spring.boot.RdmaOptions
import io.rdma.spring.boot.RdmaProperties
import io.rdma.spring.boot.internal.ClientPort
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled
import org.springframework.beans.factory.ObjectProvider
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean
import org.springframework.context.annotation.Bean
import kotlin.time.toKotlinDuration

/**
 * Auto-configuration of a client and a server of coroutines, on the device and with the properties of
 * [RdmaAutoConfiguration]. A bean of the application replaces each of them.
 */
@AutoConfiguration(after = [RdmaAutoConfiguration::class])
@ConditionalOnRdmaEnabled
@ConditionalOnBean(RdmaResources::class)
public class RdmaCoroutinesAutoConfiguration {
    /** Returns the client for `rdma.client.*`. */
    @Bean
    @ConditionalOnMissingBean
    public fun rdmaCoroutineClient(
        details: RdmaConnectionDetails,
        options: RdmaOptions,
        resources: RdmaResources,
        customizers: ObjectProvider<RdmaConfigurationCustomizer>,
    ): RdmaCoroutineClient =
        RdmaCoroutineClient(details.host, ClientPort.of(details.port, details)) {
            this.resources = resources
            this.options = options.client()
            customize(customizers)
        }

    /** Returns the life cycle of the server for `rdma.server.*`, which [handler] needs. */
    @Bean
    @ConditionalOnBean(RdmaCoroutineHandler::class)
    @ConditionalOnMissingBean
    public fun rdmaCoroutineServerLifecycle(
        handler: RdmaCoroutineHandler,
        other: ObjectProvider<RdmaConnectionHandler>,
        properties: RdmaProperties,
        options: RdmaOptions,
        resources: RdmaResources,
        customizers: ObjectProvider<RdmaConfigurationCustomizer>,
    ): RdmaCoroutineServerLifecycle {
        check(other.stream().findAny().isEmpty) {
            "The application has an RdmaConnectionHandler and an RdmaCoroutineHandler, and both would listen at " +
                "rdma.server.port: keep one of the beans, and bind a server of your own for the other"
        }
        val server = properties.server()
        return RdmaCoroutineServerLifecycle(
            server.listeningHost(),
            server.port(),
            handler,
            server.shutdownTimeout().toKotlinDuration(),
            {
                this.resources = resources
                this.options = options.server()
                limits = options.limits()
                customize(customizers)
            },
            resources,
        )
    }

    private fun RdmaConfiguration.customize(customizers: ObjectProvider<RdmaConfigurationCustomizer>) {
        customizers.orderedStream().forEach { it.customize(this) }
    }
}
