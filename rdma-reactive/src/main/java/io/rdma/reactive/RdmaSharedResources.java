package io.rdma.reactive;

import io.rdma.connect.RdmaResources;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Resources that clients, servers and sockets of this process share by default, in Reactor's words. */
public final class RdmaSharedResources {
    private RdmaSharedResources() {}

    /**
     * Closes them, once for each subscription: {@link io.rdma.connect.SharedResources#closeAll}. Connections end, those
     * that are being established fail. The next client, server or socket opens its device anew.
     *
     * <p><b>Completes</b> empty, when the connections are drained and the devices are closed. <b>Errors</b> with the
     * first failure of a device. <b>Cancel</b> ends the wait only. <b>Thread</b>: one of {@link
     * Schedulers#boundedElastic}.
     *
     * @return completes empty
     */
    public static Mono<Void> disposeLater() {
        return Mono.<Void>fromRunnable(RdmaResources.shared()::closeAll).subscribeOn(Schedulers.boundedElastic());
    }
}
