package io.rdma.samples.simulation.network;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Bytes that a TCP socket sends, each write as one segment. */
final class TcpOutputStream extends OutputStream {
    private final TcpSocketImpl socket;

    TcpOutputStream(TcpSocketImpl socket) {
        this.socket = socket;
    }

    @Override
    public void write(int one) throws IOException {
        socket.write(new byte[] {(byte) one});
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        socket.write(Arrays.copyOfRange(from, offset, offset + length));
    }

    @Override
    public void close() {
        socket.close();
    }
}
