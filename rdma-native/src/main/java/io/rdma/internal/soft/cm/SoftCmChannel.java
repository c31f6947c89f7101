package io.rdma.internal.soft.cm;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.soft.objects.EventQueue;
import io.rdma.internal.soft.objects.SoftObject;

/** An event channel for the events of identifiers; {@code users} counts the identifiers. */
final class SoftCmChannel extends SoftObject {
    final EventQueue<CmEventEntry> events;

    SoftCmChannel(Environment environment) {
        events = new EventQueue<>(environment);
    }

    @Override
    public String struct() {
        return "rdma_event_channel";
    }
}
