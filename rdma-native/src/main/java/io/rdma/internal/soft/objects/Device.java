package io.rdma.internal.soft.objects;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Packet;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The running device, as seen by the objects created from it and by their transports. */
public interface Device {
    Environment environment();

    /** Returns the class of devices that this one stands for. */
    Personality personality();

    /** Returns the table of the device's objects. */
    HandleTable handles();

    /** Returns the keys of all registered memory. Device thread. */
    MemoryKeys keys();

    /** Returns the factory of the transports that its queue pairs use. */
    TransportFactory transports();

    /** Returns the counters of the port. */
    Counters counters();

    /** Returns the address of the link. */
    InetSocketAddress local();

    /** Returns the number of GIDs: 2 if the device has a second address. */
    int gids();

    /** Returns the MTU of the port in bytes. */
    int mtu();

    /** Returns whether even packets to this device itself go through the link, because faults are injected there. */
    boolean faulty();

    /**
     * Returns whether packets have the hop limit and the flow label of their path. If not, they have those of the host.
     */
    boolean hasHeaders();

    /** Runs a task in a turn of its own. Any thread, not in a turn. */
    <T> T call(Supplier<T> task);

    /** Rings the doorbell of a queue pair after a post. Any thread. */
    void ring(SoftQp qp);

    /** Adds a queue pair to the run queue. Device thread. */
    void runnable(SoftQp qp);

    /** Notes that an empty completion queue was polled. Any thread. */
    void polled();

    /** Notes that a thread that has polled goes to sleep. Any thread. */
    void left();

    /** Finds an XRC shared receive queue by its number. Device thread. */
    @Nullable
    SoftSrq sharedQueue(int srqn);

    /** Ends all queue pairs of an overrun completion queue: {@code IBV_EVENT_CQ_ERR}. */
    void overrun(SoftCq cq);

    /** Returns how many packets of a queue pair may be in flight. */
    int packetsInFlight(SoftQp of);

    /** Returns how many packets of a reliable queue pair may be joined to one now, at least one. Device thread. */
    int packetsAtOnce(SoftQp of);

    /** Notes that a queue pair is being connected to another device. Device thread. */
    void connecting(InetSocketAddress peer);

    /**
     * Returns whether a request, or the answer to a read, may be sent now. If not, the queue pair runs again soon.
     * Device thread.
     */
    boolean hasRoom(SoftQp of);

    /**
     * Returns the packet in which reliable queue pairs build what they transmit, one after the other: one for all of
     * them stays in the processor's cache. Device thread.
     */
    Packet outgoing();

    /** Sends a packet to the peer of a connected queue pair. Device thread. */
    void transmit(SoftQp from, Packet packet);

    /** Sends a datagram along a path. Device thread. */
    void transmit(Packet datagram, SoftAh path);

    /** Returns the 40 bytes in front of the datagram that is being delivered. Device thread. */
    Packet route();
}
