package io.rdma.samples.simulation.network;

import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Receive buffer of a simulated UDP socket. When it is full, further datagrams are lost. */
final class ArrivedDatagrams {
    /** Datagrams that it holds. */
    static final int ROOM = 512;

    private final ArrayDeque<Arrived> arrived = new ArrayDeque<>();

    private record Arrived(InetSocketAddress from, byte[] datagram) {}

    /** Adds a datagram. Returns false if there is no room. */
    boolean add(InetSocketAddress from, byte[] datagram) {
        return arrived.size() < ROOM && arrived.add(new Arrived(from, datagram));
    }

    boolean isEmpty() {
        return arrived.isEmpty();
    }

    /**
     * Takes the next datagram.
     *
     * @param from set to the sender's address
     * @param into receives the datagram
     * @param at offset of the datagram
     * @return its length, or -1 if there is none
     */
    int take(UdpAddress from, ByteBuffer into, int at) {
        Arrived next = arrived.poll();
        if (next == null) {
            return -1;
        }
        from.set(next.from);
        into.limit(into.capacity()).put(at, next.datagram);
        return next.datagram.length;
    }
}
