package io.rdma.connect;

import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RegistrationBudget;
import java.util.List;

/**
 * Public view of {@link DeviceResources}, and the only implementation of {@link RdmaResources}. It shows no loops and
 * no set-ups; the front-ends reach those through {@link DeviceResources#of}.
 */
record OpenResources(DeviceResources resources) implements RdmaResources, DeviceResources.Holder {
    @Override
    public DeviceContext context() {
        return resources.context();
    }

    @Override
    public ProtectionDomain domain() {
        return resources.domain();
    }

    @Override
    public RegistrationCache registrations() {
        return resources.registrations();
    }

    @Override
    public RegistrationBudget registrationBudget() {
        return resources.registrationBudget();
    }

    @Override
    public List<LoopCounters> counters() {
        return resources.loops().stream()
                .<LoopCounters>map(CompletionLoop::counters)
                .toList();
    }

    @Override
    public List<RdmaEndpoint> endpoints() {
        return List.copyOf(resources.endpoints());
    }

    @Override
    public Environment environment() {
        return resources.environment();
    }

    @Override
    public void close() {
        resources.close();
    }
}
