package io.rdma.reactive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;

/** Proxy between the two ends of an exchange connection. It can cut the connection as the death of a process would. */
final class CutWire implements AutoCloseable {
    private final ServerSocket front;
    private final int backPort;
    private volatile Socket client;
    private volatile Socket server;

    CutWire(ServerSocket front, int backPort) {
        this.front = front;
        this.backPort = backPort;
        Thread.startVirtualThread(this::run);
    }

    private void run() {
        try {
            while (true) {
                Socket accepted = front.accept();
                Socket connected = new Socket("127.0.0.1", backPort);
                client = accepted;
                server = connected;
                Thread.startVirtualThread(() -> copy(accepted, connected));
                Thread.startVirtualThread(() -> copy(connected, accepted));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException e) {
            // cut
        }
    }

    void cut() throws IOException {
        client.close();
        server.close();
    }

    @Override
    public void close() throws IOException {
        cut();
    }
}
