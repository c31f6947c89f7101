package io.rdma.internal.soft.cm;

import io.rdma.internal.log.LimitedLog;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

// What is told: magic "JRCM" u32, GID 16 bytes. Who asked may answer with the number of his conversation, u32, and his
// GID, and leave the line open: its end is his.

/**
 * On loopback, where an IP address has any number of software devices: the port of a service is a TCP port on which its
 * device's GID is told.
 */
final class CmRendezvous {
    private static final int MAGIC = 0x4a52434d; // "JRCM"
    private static final int BYTES = 20;
    private static final int MOST_LINES = 1 << 16;
    private static final long BACK_OFF_NANOS = 50_000_000;
    private static final LimitedLog FAILURES = new LimitedLog(CmRendezvous.class);
    private static final int ASK_MILLIS = 10_000;

    private CmRendezvous() {}

    /**
     * Reserves an address without listening there.
     *
     * @throws VerbsException if it is in use or not of this host
     */
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

    /** Who hears that a peer's process is gone. */
    interface Ended {
        void ended(byte[] gid, int number);
    }

    /** Tells a GID where an address was reserved, until the socket is closed. */
    static ServerSocket tell(Socket reserved, byte[] gid, Ended ended) {
        try {
            InetSocketAddress address = (InetSocketAddress) reserved.getLocalSocketAddress();
            reserved.close();
            ServerSocket socket = new ServerSocket();
            socket.bind(address, 128);
            byte[] answer = ByteBuffer.allocate(BYTES).putInt(MAGIC).put(gid).array();
            Thread.ofVirtual().name("rdma-soft-cm-listen").start(() -> serve(socket, answer, ended));
            return socket;
        } catch (IOException e) {
            throw new VerbsException("rdma_listen", Errno.EADDRINUSE, e.getMessage());
        }
    }

    static void serve(ServerSocket at, byte[] answer, Ended ended) {
        Semaphore lines = new Semaphore(MOST_LINES);
        while (!at.isClosed()) {
            try {
                answer(at.accept(), answer, ended, lines);
            } catch (Throwable e) { // EMFILE, no memory, or whatever it is: it may pass, and the service stays
                if (!at.isClosed()) {
                    FAILURES.log(System.Logger.Level.WARNING, "a peer that asked for a service was not answered", e);
                    LockSupport.parkNanos(BACK_OFF_NANOS);
                }
            }
        }
    }

    private static void answer(Socket asking, byte[] answer, Ended ended, Semaphore lines) {
        boolean kept = false;
        try {
            asking.getOutputStream().write(answer); // fits the socket's buffer: nobody is waited for
            if (lines.tryAcquire()) {
                Thread.ofVirtual().name("rdma-soft-cm-line").start(() -> follow(asking, ended, lines));
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

    /** Until the end of the line. */
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
            log().log(System.Logger.Level.DEBUG, "the line broke", e);
        } finally {
            lines.release();
        }
        if (number != 0) {
            try {
                ended.ended(gid, number);
            } catch (VerbsException e) {
                log().log(System.Logger.Level.DEBUG, "a peer named a GID that is none", e);
            }
        }
    }

    /**
     * Asks for the GID of the device that has a service. Blocks.
     *
     * @throws java.net.ConnectException if nobody listens there
     * @throws IOException if nobody answers, or something else does
     */
    static byte[] ask(Socket line, InetSocketAddress service, byte[] own, int number) throws IOException {
        line.connect(service, ASK_MILLIS);
        line.setSoTimeout(ASK_MILLIS);
        DataInputStream from = new DataInputStream(line.getInputStream());
        int magic = magic(from);
        byte[] gid = new byte[BYTES - Integer.BYTES];
        from.readFully(gid);
        if (magic != MAGIC) {
            throw new IOException("what listens at " + service + " is not a software device's connection manager");
        }
        line.getOutputStream()
                .write(ByteBuffer.allocate(BYTES).putInt(number).put(own).array());
        line.setSoTimeout(0);
        return gid;
    }

    /** What is closed while a line is being made breaks that line: nobody listens any more. */
    private static int magic(DataInputStream from) throws IOException {
        try {
            return from.readInt();
        } catch (EOFException | SocketException e) {
            ConnectException closed = new ConnectException("whoever listened there has stopped");
            closed.initCause(e);
            throw closed;
        }
    }

    private static System.Logger log() {
        return System.getLogger(CmRendezvous.class.getName());
    }
}
