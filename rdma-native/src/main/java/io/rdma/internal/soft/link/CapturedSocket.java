package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A socket that also writes the packets that it sends to a capture file, if one is set, and those that the link says
 * were {@link #received}. Packets that a fault drops are missing.
 */
final class CapturedSocket implements LinkSocket {

    private final LinkSocket socket;
    private final UdpAddress local;
    private @Nullable CaptureFile file;
    private boolean owned; // this socket closes the file

    CapturedSocket(LinkSocket socket) {
        this.socket = socket;
        this.local = new UdpAddress(socket.local());
    }

    boolean capturing() {
        return file != null;
    }

    /**
     * Switches to another file.
     *
     * @param next null to stop the capture
     */
    void captureTo(@Nullable CaptureFile next) {
        CaptureFile last = owned ? file : null;
        file = next;
        owned = true;
        if (last != null) {
            try {
                last.close();
            } catch (IOException | UncheckedIOException e) {
                log().log(System.Logger.Level.WARNING, "The end of the capture file was not written", e);
            }
        }
    }

    /** Switches to a file that another socket closes, or to none. */
    void captureInto(@Nullable CaptureFile next) {
        captureTo(next);
        owned = false;
    }

    /** Writes a datagram that is not sent to the file. */
    void capture(int at, int length, UdpAddress from, UdpAddress to, boolean outbound) {
        capture(socket.memory(), at, length, from, to, outbound);
    }

    /** Captures a received packet, of this socket or from elsewhere. */
    void received(ByteBuffer memory, int at, int length, UdpAddress from) {
        if (file != null && length <= MAX_DATAGRAM) {
            capture(memory, at, length, from, local, false);
        }
    }

    private void capture(ByteBuffer memory, int at, int length, UdpAddress from, UdpAddress to, boolean outbound) {
        CaptureFile now = file;
        if (now == null) {
            return;
        }
        try {
            now.add(memory, at, length, from, to, outbound);
        } catch (UncheckedIOException e) { // a full disk must not stop the device
            log().log(System.Logger.Level.WARNING, "The capture file cannot be written: the capture ends", e);
            captureTo(null);
        }
    }

    /** Sends a datagram that is no packet. */
    void sendUncaptured(int length, UdpAddress to) {
        socket.send(length, to);
    }

    @Override
    public void send(int length, UdpAddress to) {
        if (file != null) {
            capture(socket.frame(), length, local, to, true);
        }
        socket.send(length, to);
    }

    @Override
    public int receive(UdpAddress from) {
        return socket.receive(from);
    }

    @Override
    public InetSocketAddress local() {
        return socket.local();
    }

    @Override
    public ByteBuffer memory() {
        return socket.memory();
    }

    @Override
    public int frame() {
        return socket.frame();
    }

    @Override
    public void flush() {
        socket.flush();
    }

    @Override
    public int received() {
        return socket.received();
    }

    @Override
    public boolean hasHeaders() {
        return socket.hasHeaders();
    }

    @Override
    public long lost() {
        return socket.lost();
    }

    @Override
    public int receiveBuffer() {
        return socket.receiveBuffer();
    }

    @Override
    public void await(long nanos, boolean forPackets) {
        socket.await(nanos, forPackets);
    }

    @Override
    public void wake() {
        socket.wake();
    }

    @Override
    public void close() {
        captureTo(null);
        socket.close();
    }

    private static System.Logger log() {
        return System.getLogger(CapturedSocket.class.getName());
    }
}
