package io.rdma.spring.boot;

import io.rdma.connect.RdmaResources;
import io.rdma.types.PortAttributes;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Health indicator that is up while the device responds and one of its ports is active. Reports the name of the device,
 * the states of its ports and the number of connections.
 */
public final class RdmaHealthIndicator extends AbstractReactiveHealthIndicator {
    private final RdmaResources resources;

    RdmaHealthIndicator(RdmaResources resources) {
        super("RDMA health check failed");
        this.resources = resources;
    }

    @Override
    protected Mono<Health> doHealthCheck(Health.Builder builder) {
        return Mono.fromCallable(() -> check(builder)).subscribeOn(Schedulers.boundedElastic()); // queries the device
    }

    private Health check(Health.Builder builder) {
        builder.withDetail("device", resources.context().name());
        boolean active = false;
        int ports = resources.context().queryDevice().physPortCnt();
        for (int port = 1; port <= ports; port++) {
            PortAttributes attributes = resources.context().queryPort(port);
            active |= attributes.state().isUsable();
            builder.withDetail("port" + port, attributes.state().name());
        }
        builder.withDetail("connections", resources.endpoints().size());
        return (active ? builder.up() : builder.down()).build();
    }
}
