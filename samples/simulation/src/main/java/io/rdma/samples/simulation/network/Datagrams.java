package io.rdma.samples.simulation.network;

import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.samples.simulation.schedule.WaitQueue;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** UDP socket of a software device on a simulated wire. */
final class Datagrams implements LinkSocket {
    private static final int OUT = 0;
    private static final int IN = MAX_DATAGRAM;
    /** Datagrams that the socket's buffer holds. */
    private static final int ROOM = 512;

    private final Wire wire;
    private final InetSocketAddress local;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * MAX_DATAGRAM);
    private final ArrayDeque<Arrived> arrived = new ArrayDeque<>();
    private final WaitQueue waiting;
    private boolean forPackets;
    private boolean woken;

    private record Arrived(InetSocketAddress from, byte[] datagram) {}

    Datagrams(Wire wire, InetAddress address, int port) throws BindException {
        this.wire = wire;
        waiting = new WaitQueue(wire.scheduler());
        local = wire.bind(address, port, this);
    }

    void arrived(InetSocketAddress from, byte[] datagram) {
        if (arrived.size() < ROOM) {
            arrived.add(new Arrived(from, datagram));
            if (forPackets) {
                waiting.wakeAll();
            }
        }
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public ByteBuffer memory() {
        return memory;
    }

    @Override
    public int frame() {
        return OUT;
    }

    @Override
    public void send(int length, UdpAddress to) {
        byte[] datagram = new byte[length];
        memory.get(OUT, datagram);
        wire.send(local, new InetSocketAddress(to.address(), to.port), datagram);
    }

    @Override
    public void flush() {
        // send() queues nothing.
    }

    @Override
    public int receive(UdpAddress from) {
        Arrived next = arrived.poll();
        if (next == null) {
            return -1;
        }
        from.set(next.from);
        memory.limit(memory.capacity()).put(IN, next.datagram);
        return next.datagram.length;
    }

    @Override
    public int received() {
        return IN;
    }

    @Override
    public long lost() {
        return 0;
    }

    @Override
    public int receiveBuffer() {
        return ROOM * MAX_DATAGRAM;
    }

    @Override
    public void await(long nanos, boolean packetsToo) {
        if (!woken && !(packetsToo && !arrived.isEmpty())) {
            forPackets = packetsToo;
            waiting.await(nanos);
        }
        woken = false;
    }

    @Override
    public void wake() {
        woken = true;
        waiting.wakeAll();
    }

    @Override
    public void close() {
        wire.unbind(local);
    }
}
