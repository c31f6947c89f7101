package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Packet;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The running device, as the objects that were made from it and their transports see it. */
public interface Device {
    /** Objects of the device, by their handles. */
    HandleTable handles();

    /** Keys of all memory. Device thread. */
    MemoryKeys keys();

    /** Counters of the port. */
    Counters counters();

    /** The address of its link. */
    InetSocketAddress local();

    /** Bytes of the port's MTU. */
    int mtu();

    /** Whether packets to this device itself go through its link, too. */
    boolean faulty();

    /** Runs something in a turn of its own. Any thread. */
    <T> T call(Supplier<T> task);

    /** Notices that something was posted. Any thread. */
    void ring(SoftQp qp);

    /** Has a queue pair run soon. Device thread. */
    void runnable(SoftQp qp);

    /** Notices that an empty completion queue was polled. Any thread. */
    void polled();

    /** Notices that a thread that has polled goes to sleep. Any thread. */
    void left();

    /** Finds an XRC shared receive queue by its number. Device thread. */
    @Nullable
    SoftSrq sharedQueue(int srqn);

    /**
     * Ends all queue pairs of an overrun completion queue, which cannot complete anything there:
     * {@code IBV_EVENT_CQ_ERR}.
     */
    void overrun(SoftCq cq);

    /** Limits how many packets of a queue pair may be on their way. */
    int packetsInFlight(SoftQp of);

    /** Sends a packet to the peer of a connected queue pair. Device thread. */
    void transmit(SoftQp from, Packet packet);

    /** Sends a datagram along a path. Device thread. */
    void transmit(Packet datagram, SoftAh path);

    /** The 40 bytes in front of the datagram that is being delivered. Device thread. */
    Packet route();
}
