package io.rdma.samples.simulation.network;

import java.io.IOException;
import java.io.InputStream;

/** Bytes that arrive at a TCP socket. */
final class TcpInputStream extends InputStream {
    private final TcpSocketImpl socket;

    TcpInputStream(TcpSocketImpl socket) {
        this.socket = socket;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        return socket.take(into, offset, length);
    }

    @Override
    public int available() {
        return socket.available();
    }

    @Override
    public void close() {
        socket.close();
    }
}
