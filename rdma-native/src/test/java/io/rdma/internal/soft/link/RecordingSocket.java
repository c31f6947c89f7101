package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** A socket that records the datagrams that are sent. */
public final class RecordingSocket implements LinkSocket {
    private final ByteBuffer memory = ByteBuffer.allocateDirect(MAX_DATAGRAM);
    private final StringBuilder sent;

    public RecordingSocket(StringBuilder sent) {
        this.sent = sent;
    }

    @Override
    public InetSocketAddress local() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), SoftAddress.ROCE_PORT);
    }

    @Override
    public ByteBuffer memory() {
        return memory;
    }

    @Override
    public int frame() {
        return 0;
    }

    @Override
    public void send(int length, UdpAddress to) {
        byte[] bytes = new byte[length];
        memory.get(0, bytes);
        sent.append(HexFormat.of().formatHex(bytes)).append('\n');
    }

    @Override
    public void flush() {
        // Nothing waits.
    }

    @Override
    public int receive(UdpAddress from) {
        return -1;
    }

    @Override
    public int received() {
        return 0;
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
        return 0;
    }

    @Override
    public void await(long nanos, boolean forPackets) {
        // Nothing comes.
    }

    @Override
    public void wake() {
        // No thread waits.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
