package io.rdma.reactive;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound that completion loops must not block, and the few places where they do by design: their one place to sleep, and the control calls of a close. Found as a service by
 * {@code BlockHound.install()}.
 */
public final class RdmaBlockHoundIntegration implements BlockHoundIntegration {
    /** Made by {@code ServiceLoader}. */
    public RdmaBlockHoundIntegration() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.nonBlockingThreadPredicate(before -> before.or(Transport::isLoop))
                .allowBlockingCallsInside("io.rdma.engine.CompletionLoop", "sleep")
                .allowBlockingCallsInside("io.rdma.engine.Idling", "shouldSleep")
                .allowBlockingCallsInside("io.rdma.engine.CompletionLoop", "destroy")
                .allowBlockingCallsInside("io.rdma.engine.RdmaEndpoint", "startDrain")
                .allowBlockingCallsInside("io.rdma.engine.RdmaEndpoint", "finishIfDrained");
    }
}
