package io.rdma.samples.simulation.network;

import io.rdma.internal.soft.link.GroupSocket;
import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.samples.simulation.schedule.WaitQueue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;

/** UDP socket of a multicast group on a simulated wire. */
final class GroupDatagrams implements GroupSocket, Wire.Receiver {
    private final Wire wire;
    private final InetSocketAddress group;
    private final InetAddress host;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(LinkSocket.MAX_DATAGRAM);
    private final ArrivedDatagrams arrived = new ArrivedDatagrams();
    private final WaitQueue waiting;
    private boolean open = true;

    GroupDatagrams(Wire wire, InetSocketAddress group, InetAddress host) {
        this.wire = wire;
        this.group = group;
        this.host = host;
        waiting = new WaitQueue(wire.scheduler());
        wire.join(group, this);
    }

    InetAddress host() {
        return host;
    }

    @Override
    public void arrived(InetSocketAddress from, byte[] datagram) {
        if (arrived.add(from, datagram)) {
            waiting.wakeAll();
        }
    }

    @Override
    public ByteBuffer memory() {
        return memory;
    }

    @Override
    public int receive(UdpAddress from) throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
        while (arrived.isEmpty()) {
            waiting.await();
            if (!open) {
                throw new AsynchronousCloseException();
            }
        }
        return arrived.take(from, memory, 0);
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
        wire.leave(group, this);
        waiting.wakeAll();
    }
}
