package io.rdma.internal.soft.cm;

import io.rdma.environment.Environment;
import io.rdma.environment.Network;
import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.net.AcceptLoop;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;

// Wire format: magic "JRCM" u32, GID 16 bytes. The asking side may answer with the number of its conversation, u32, and
// its GID, and keep the TCP connection (the line) open. The end of the line then shows that its process has ended.

/**
 * Discovery of devices on loopback, where many software devices share an IP address. The port of a service is a TCP
 * port on which the service's device sends its GID.
 */
final class CmRendezvous {
    private static final int MAGIC = 0x4a52434d; // "JRCM"
    private static final int BYTES = 20;
    private static final int MOST_LINES = 1 << 16;
    private static final LimitedLog FAILURES = new LimitedLog(CmRendezvous.class);
    private static final int ASK_MILLIS = 10_000;

    private CmRendezvous() {}

    /**
     * Reserves an address without listening there.
     *
     * @throws VerbsException if the address is in use or does not belong to this host
     */
    static Socket reserve(Network network, InetSocketAddress address) {
        InetAddress host = address.getAddress();
        Socket socket = network.socket();
        try {
            if (!host.isAnyLocalAddress() && !network.has(host)) {
                throw new VerbsException(
                        "rdma_bind_addr", Errno.EADDRNOTAVAIL, host + " is not an address of this host");
            }
            socket.bind(address);
            return socket;
        } catch (SocketException e) {
            throw new VerbsException("rdma_bind_addr", Errno.EADDRINUSE, "Choose another port, or 0 for a free one");
        } catch (IOException e) {
            throw new VerbsException("rdma_bind_addr", Errno.EIO, e.getMessage());
        }
    }

    /** Callback for the end of a peer's process. */
    interface Ended {
        void ended(byte[] gid, int number);
    }

    /** Sends a GID to every client of a reserved address, until the returned loop is stopped. */
    static AcceptLoop tell(Environment environment, Socket reserved, byte[] gid, Ended ended) {
        try {
            InetSocketAddress address = (InetSocketAddress) reserved.getLocalSocketAddress();
            reserved.close();
            ServerSocket socket = environment.network().serverSocket();
            socket.bind(address, 128);
            byte[] answer = ByteBuffer.allocate(BYTES).putInt(MAGIC).put(gid).array();
            Semaphore lines = new Semaphore(MOST_LINES);
            AcceptLoop loop = new AcceptLoop(
                    socket,
                    FAILURES,
                    "a peer that asked for a service was not answered",
                    asking -> answer(environment, asking, answer, ended, lines));
            loop.start(environment, "rdma-soft-cm-listen");
            return loop;
        } catch (IOException e) {
            throw new VerbsException("rdma_listen", Errno.EADDRINUSE, e.getMessage());
        }
    }

    private static void answer(Environment environment, Socket asking, byte[] answer, Ended ended, Semaphore lines) {
        boolean kept = false;
        try {
            asking.getOutputStream().write(answer); // fits the socket's buffer, so it does not block
            if (lines.tryAcquire()) {
                environment.start("rdma-soft-cm-line", () -> follow(asking, ended, lines));
                kept = true;
            }
        } catch (IOException e) {
            log().log(System.Logger.Level.DEBUG, "the peer that asked is gone", e);
        } finally {
            if (!kept) {
                CmRoute.close(asking);
            }
        }
    }

    /** Reads the asking side's number and GID, waits for the end of the line, and reports it. */
    private static void follow(Socket asking, Ended ended, Semaphore lines) {
        byte[] gid = new byte[BYTES - Integer.BYTES];
        int number = 0;
        try (Socket line = asking) {
            line.setSoTimeout(ASK_MILLIS);
            DataInputStream from = new DataInputStream(line.getInputStream());
            number = from.readInt();
            from.readFully(gid);
            line.setSoTimeout(0);
            from.read();
        } catch (IOException e) {
            log().log(System.Logger.Level.DEBUG, "the connection to the peer's connection manager broke", e);
        } finally {
            lines.release();
        }
        if (number != 0) {
            try {
                ended.ended(gid, number);
            } catch (VerbsException e) {
                log().log(System.Logger.Level.DEBUG, "a peer sent an invalid GID", e);
            }
        }
    }

    /**
     * Asks for the GID of the device that has a service. Blocks.
     *
     * @throws java.net.ConnectException if no process listens there
     * @throws IOException if there is no answer, or not one of a software device
     */
    static byte[] ask(Socket line, InetSocketAddress service, byte[] own, int number) throws IOException {
        line.connect(service, ASK_MILLIS);
        line.setSoTimeout(ASK_MILLIS);
        DataInputStream from = new DataInputStream(line.getInputStream());
        int magic = magic(from);
        byte[] gid = new byte[BYTES - Integer.BYTES];
        from.readFully(gid);
        if (magic != MAGIC) {
            throw new IOException(
                    "the process that listens at " + service + " is not a software device's connection manager");
        }
        line.getOutputStream()
                .write(ByteBuffer.allocate(BYTES).putInt(number).put(own).array());
        line.setSoTimeout(0);
        return gid;
    }

    /** Reads the magic. A line that breaks here was closed during its set-up: the listener has stopped. */
    private static int magic(DataInputStream from) throws IOException {
        try {
            return from.readInt();
        } catch (EOFException | SocketException e) {
            ConnectException closed = new ConnectException("the listener has stopped");
            closed.initCause(e);
            throw closed;
        }
    }

    private static System.Logger log() {
        return System.getLogger(CmRendezvous.class.getName());
    }
}
