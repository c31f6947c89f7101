package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A reliable connection between two processes that exchange their addresses over TCP: send, read and write, each of
 * which the other side checks.
 */
@Command(
        name = "exchange",
        mixinStandardHelpOptions = true,
        description = "Connect two processes by an exchange over TCP, and have them send, read and write.")
final class TcpExchange {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int HALF = 2048; // each side lends the first half to its peer, and works in the second half
    private static final String FROM_SERVER = "read me: I am in the server's memory";
    private static final String FROM_CLIENT = "the client has written this";

    private TcpExchange() {}

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Wait for one client.")
    int server(
            @Mixin DeviceOption device,
            @Option(names = "--port", defaultValue = "0", description = "TCP port, 0 for a free one.") int port)
            throws IOException {
        try (ServerSocket listener = new ServerSocket(port)) {
            System.out.println("listening on port " + listener.getLocalPort());
            try (Socket socket = listener.accept()) {
                return talk(device, socket, true);
            }
        }
    }

    @Command(name = "client", mixinStandardHelpOptions = true, description = "Connect to a server.")
    int client(
            @Mixin DeviceOption device,
            @Option(names = "--port", required = true, description = "TCP port of the server.") int port,
            @Parameters(paramLabel = "HOST", defaultValue = "localhost") String host)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            return talk(device, socket, false);
        }
    }

    private static int talk(DeviceOption device, Socket socket, boolean server) throws IOException {
        socket.setSoTimeout(TIMEOUT_MILLIS);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                Side side = new Side(context, domain, 2 * HALF)) {
            side.memory.segment().setString(0, FROM_SERVER);
            side.address().write(out);
            Address peer = Address.read(in);
            side.connect(peer);
            side.receive(1, HALF, 64);
            barrier(out, in); // both sides can receive: from here on either side may send
            if (server) {
                side.await(1);
                System.out.println("the client's last message has arrived");
                String written = side.memory.segment().getString(0);
                System.out.println("in this memory is now: " + written);
                return written.equals(FROM_CLIENT) ? 0 : 1;
            }
            return work(side, peer);
        }
    }

    /** Runs the client, which performs all operations. The server's processor takes part only in the last step. */
    private static int work(Side side, Address peer) {
        MemorySegment local = side.memory.segment().asSlice(HALF);
        operation(side, WorkRequestOpcode.RDMA_READ, peer, FROM_SERVER.length() + 1);
        String read = local.getString(0);
        System.out.println("read from the server: " + read);
        local.setString(0, FROM_CLIENT);
        operation(side, WorkRequestOpcode.RDMA_WRITE, peer, FROM_CLIENT.length() + 1);
        // The send is posted after the write, so the peer receives it after the written data.
        local.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        operation(side, WorkRequestOpcode.SEND, peer, 1);
        System.out.println("written, and the server is notified");
        return read.equals(FROM_SERVER) ? 0 : 1;
    }

    private static void operation(Side side, WorkRequestOpcode opcode, Address peer, int bytes) {
        side.sends.clear();
        side.sends.add(2, opcode).signaled();
        if (opcode != WorkRequestOpcode.SEND) {
            side.sends.remote(peer.memory().address(), peer.memory().rkey());
        }
        side.sends.entry(side.memory.segment().address() + HALF, bytes, side.memory.lkey());
        side.post();
        side.await(1);
    }

    private static void barrier(DataOutputStream out, DataInputStream in) throws IOException {
        out.writeByte('r');
        out.flush();
        in.readByte();
    }
}
