package io.rdma.samples.pingpong;

import io.rdma.types.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The handshake of {@code ibv_rc_pingpong} and its siblings over TCP. The client sends its addresses. The server
 * connects its queue pairs and sends its own addresses. The client sends "done" and connects its queue pairs. Size and
 * time are bounded, whatever the peer sends. All programs but {@code ibv_srq_pingpong} have one address.
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

    static List<PingPongAddress> answer(
            ServerSocket listener, List<PingPongAddress> local, Consumer<List<PingPongAddress>> connect)
            throws IOException {
        try (Socket socket = listener.accept()) {
            socket.setSoTimeout(HANDSHAKE_MILLIS);
            List<PingPongAddress> remote = read(socket, local.size());
            connect.accept(remote); // before the answer: the client may send as soon as it has the answer
            write(socket, local);
            if (!Arrays.equals(bytes(socket, DONE.length), DONE)) {
                throw new RdmaException("the client did not confirm the handshake");
            }
            return remote;
        }
    }

    static List<PingPongAddress> ask(String host, int port, List<PingPongAddress> local) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), HANDSHAKE_MILLIS);
            socket.setSoTimeout(HANDSHAKE_MILLIS);
            write(socket, local);
            List<PingPongAddress> remote = read(socket, local.size());
            socket.getOutputStream().write(DONE);
            return remote;
        } catch (IOException e) {
            throw new IOException(
                    "no handshake with " + host + ":" + port + ": " + e.getMessage() + ". Is the server running?", e);
        }
    }

    private static void write(Socket socket, List<PingPongAddress> addresses) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(addresses.size() * PingPongAddress.BYTES);
        addresses.forEach(address -> all.put(address.encode()));
        socket.getOutputStream().write(all.array());
    }

    private static List<PingPongAddress> read(Socket socket, int count) throws IOException {
        List<PingPongAddress> addresses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            addresses.add(PingPongAddress.decode(bytes(socket, PingPongAddress.BYTES)));
        }
        return addresses;
    }

    private static byte[] bytes(Socket socket, int bytes) throws IOException {
        byte[] all = socket.getInputStream().readNBytes(bytes);
        if (all.length < bytes) {
            throw new IOException("the peer hung up during the handshake");
        }
        return all;
    }
}
