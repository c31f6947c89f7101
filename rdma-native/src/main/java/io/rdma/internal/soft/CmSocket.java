package io.rdma.internal.soft;

import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The TCP connection that carries the messages of one connection of the software device. One thread reads, any writes. */
final class CmSocket {
    private final Socket socket;
    private @Nullable DataInputStream in;

    CmSocket(Socket socket) {
        this.socket = socket;
    }

    void connect(@Nullable InetSocketAddress from, InetSocketAddress to, int millis) throws IOException {
        if (from != null) {
            socket.bind(new InetSocketAddress(from.getAddress(), 0));
        }
        socket.connect(to, millis);
        socket.setTcpNoDelay(true);
    }

    InetSocketAddress local() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    InetSocketAddress remote() {
        return (InetSocketAddress) socket.getRemoteSocketAddress();
    }

    void send(CmMessage message) throws IOException {
        synchronized (socket) {
            message.write(socket.getOutputStream());
        }
    }

    /** Waits without limit. */
    CmMessage receive() throws IOException {
        DataInputStream from = in;
        if (from == null) {
            in = from = new DataInputStream(socket.getInputStream());
        }
        return CmMessage.read(from);
    }

    /** Waits for a while: a peer that sends a byte now and then is hung up on all the same. */
    CmMessage receiveWithin(int millis) throws IOException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        done.orTimeout(millis, TimeUnit.MILLISECONDS).exceptionally(late -> {
            close();
            return null;
        });
        try {
            return receive();
        } finally {
            done.complete(null);
        }
    }

    void close() {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(CmSocket.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }

    /** The local address from which packets to a destination go. @throws IOException where there is no way */
    static InetAddress sourceFor(InetSocketAddress destination) throws IOException {
        try (DatagramSocket probe = new DatagramSocket()) {
            probe.connect(
                    destination.getPort() == 0 ? new InetSocketAddress(destination.getAddress(), 1) : destination);
            return probe.getLocalAddress();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Reserves an address without listening there. @throws VerbsException if it is in use or not of this host */
    static Socket reserve(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        Socket socket = new Socket();
        try {
            if (!host.isAnyLocalAddress() && NetworkInterface.getByInetAddress(host) == null) {
                throw new VerbsException("rdma_bind_addr", Errno.EADDRNOTAVAIL, host + " is not of this host");
            }
            socket.bind(address);
            return socket;
        } catch (SocketException e) {
            throw new VerbsException("rdma_bind_addr", Errno.EADDRINUSE, "Choose another port, 0 takes a free one");
        } catch (IOException e) {
            throw new VerbsException("rdma_bind_addr", Errno.EIO, e.getMessage());
        }
    }

    /** Listens where an address was reserved. */
    static ServerSocket listen(Socket reserved, int backlog) {
        try {
            InetSocketAddress address = (InetSocketAddress) reserved.getLocalSocketAddress();
            reserved.close();
            ServerSocket socket = new ServerSocket();
            socket.bind(address, backlog);
            return socket;
        } catch (IOException e) {
            throw new VerbsException("rdma_listen", Errno.EADDRINUSE, e.getMessage());
        }
    }
}
