package io.rdma.samples.simulation.network;

import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.samples.simulation.schedule.WaitQueue;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** UDP socket of a software device on a simulated wire. */
final class Datagrams implements LinkSocket, Wire.Receiver {
    private static final int OUT = 0;
    private static final int IN = MAX_DATAGRAM;

    private final Wire wire;
    private final InetSocketAddress local;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * MAX_DATAGRAM);
    private final ArrivedDatagrams arrived = new ArrivedDatagrams();
    private final WaitQueue waiting;
    private boolean forPackets;
    private boolean woken;

    Datagrams(Wire wire, InetAddress address, int port) throws BindException {
        this.wire = wire;
        waiting = new WaitQueue(wire.scheduler());
        local = wire.bind(address, port, this);
    }

    @Override
    public void arrived(InetSocketAddress from, byte[] datagram) {
        if (arrived.add(from, datagram) && forPackets) {
            waiting.wakeAll();
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
        return arrived.take(from, memory, IN);
    }

    @Override
    public int received() {
        return IN;
    }

    @Override
    public boolean hasHeaders() {
        return true;
    }

    @Override
    public long lost() {
        return 0;
    }

    @Override
    public int receiveBuffer() {
        return ArrivedDatagrams.ROOM * MAX_DATAGRAM;
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
