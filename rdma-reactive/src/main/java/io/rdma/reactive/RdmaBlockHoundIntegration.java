package io.rdma.reactive;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * BlockHound integration that marks completion loops as non-blocking. It allows the few blocking calls that are by
 * design: the places where a loop sleeps, the control calls of a close, and a lock of the software device that is held
 * for a few instructions, where a driver has a spin lock. {@code BlockHound.install()} finds it as a service.
 */
public final class RdmaBlockHoundIntegration implements BlockHoundIntegration {
    /** Creates the integration, for {@code ServiceLoader}. */
    public RdmaBlockHoundIntegration() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.nonBlockingThreadPredicate(before -> before.or(Transport::isLoop))
                .allowBlockingCallsInside("io.rdma.internal.loop.CompletionLoop", "await")
                .allowBlockingCallsInside("io.rdma.internal.loop.LoopInvoker", "rest")
                .allowBlockingCallsInside("io.rdma.internal.loop.Idling", "shouldSleep")
                .allowBlockingCallsInside("io.rdma.internal.loop.CompletionLoop", "destroy")
                .allowBlockingCallsInside("io.rdma.internal.engine.EndpointClose", "startDrain")
                .allowBlockingCallsInside("io.rdma.internal.engine.EndpointClose", "finishIfDrained")
                .allowBlockingCallsInside("io.rdma.environment.SystemEnvironment", "after") // the JDK's scheduler
                .allowBlockingCallsInside("io.rdma.buffer.BufferPool", "closeRegionsIfWhole")
                .allowBlockingCallsInside("io.rdma.internal.soft.objects.EventQueue", "add")
                .allowBlockingCallsInside("io.rdma.internal.soft.objects.EventQueue", "poll")
                .allowBlockingCallsInside("io.rdma.internal.soft.objects.EventQueue", "wake");
    }
}
