package io.rdma.samples.pingpong;

import io.rdma.types.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The handshake of {@code ibv_rc_pingpong} over TCP. The client sends its address. The server connects its queue pair
 * and sends its own address. The client sends "done" and connects its queue pair. Size and time are bounded, whatever
 * the peer sends.
 */
final class PingPongHandshake {
    private static final int HANDSHAKE_MILLIS = 10_000;
    private static final byte[] DONE = {'d', 'o', 'n', 'e', 0};

    private PingPongHandshake() {}

    static ServerSocket listen(int port) throws IOException {
        try {
            return new ServerSocket(port);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen on port " + port + ": " + e.getMessage() + ". Choose another --port", e);
        }
    }

    static PingPongAddress answer(ServerSocket listener, PingPongAddress local, Consumer<PingPongAddress> connect)
            throws IOException {
        try (Socket socket = listener.accept()) {
            socket.setSoTimeout(HANDSHAKE_MILLIS);
            PingPongAddress remote = PingPongAddress.decode(read(socket, PingPongAddress.BYTES));
            connect.accept(remote); // before the answer: the client may send as soon as it has the answer
            socket.getOutputStream().write(local.encode());
            if (!Arrays.equals(read(socket, DONE.length), DONE)) {
                throw new RdmaException("the client did not confirm the handshake");
            }
            return remote;
        }
    }

    static PingPongAddress ask(String host, int port, PingPongAddress local) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), HANDSHAKE_MILLIS);
            socket.setSoTimeout(HANDSHAKE_MILLIS);
            socket.getOutputStream().write(local.encode());
            PingPongAddress remote = PingPongAddress.decode(read(socket, PingPongAddress.BYTES));
            socket.getOutputStream().write(DONE);
            return remote;
        } catch (IOException e) {
            throw new IOException(
                    "no handshake with " + host + ":" + port + ": " + e.getMessage() + ". Is the server running?", e);
        }
    }

    private static byte[] read(Socket socket, int bytes) throws IOException {
        byte[] all = socket.getInputStream().readNBytes(bytes);
        if (all.length < bytes) {
            throw new IOException("the peer hung up during the handshake");
        }
        return all;
    }
}
