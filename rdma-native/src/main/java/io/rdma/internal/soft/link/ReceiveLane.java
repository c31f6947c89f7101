package io.rdma.internal.soft.link;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;

// Invariants
// - Gathered packets come from one system call, so that none is overwritten after its ICRC check. They are delivered in
// order, in one turn, before the next call. The kernel gives all packets of a sender's port to one socket, so packets
// of a queue pair stay in order.
// - Outside of a turn, a lane's thread accesses only its own socket, memory and arrays.

/**
 * An additional socket at a device's address, with a thread that receives from it. System call, copy and ICRC check run
 * outside of the device's turn; delivery runs in a turn.
 */
public final class ReceiveLane {
    /** Handler of a lane's packets and failures. On the lane's thread, not in a turn. */
    public interface Taker {
        void take(ReceiveLane lane);

        /** Handles an exception outside of a delivery. The lane continues. */
        void failed(Throwable cause);
    }

    /** System property: number of receiving threads, 1 by default. */
    public static final String PROPERTY = "io.rdma.soft.threads";

    private static final int MOST_THREADS = 64;
    private static final int MOST = 256;
    private static final int SPINS = 20;
    private static final long FAILED_NANOS = 10_000_000;

    private final NativeSocket socket;
    private final ByteBuffer memory;
    private final UdpAddress local;
    private final Icrc icrc = new Icrc(LinkSocket.MAX_DATAGRAM);
    private final UdpAddress[] from = new UdpAddress[MOST];
    private final int[] at = new int[MOST];
    private final int[] length = new int[MOST];
    private final boolean[] intact = new boolean[MOST];
    private final Thread thread;
    private int count;
    private volatile boolean open = true;

    /**
     * Creates a lane, without starting its thread.
     *
     * @param address address at which a shared {@link NativeSocket} listens
     * @throws IOException if no further socket can be bound
     */
    ReceiveLane(Environment environment, InetSocketAddress address, int number, Taker taker) throws IOException {
        socket = new NativeSocket(address, true);
        memory = socket.memory().order(ByteOrder.BIG_ENDIAN);
        local = new UdpAddress(address);
        for (int i = 0; i < MOST; i++) {
            from[i] = new UdpAddress();
        }
        thread = environment.newThread("rdma-soft0-" + number, () -> loop(taker));
    }

    /**
     * Parses the number of threads.
     *
     * @param value value of the system property
     */
    public static int threads(String value) {
        int threads;
        try {
            threads = Integer.parseInt(value.strip());
        } catch (NumberFormatException e) {
            threads = 0;
        }
        if (threads < 1 || threads > MOST_THREADS) {
            throw new VerbsException(
                    Personality.COMPLETE.device(),
                    Errno.EINVAL,
                    "Set -D" + PROPERTY + " to 1 to " + MOST_THREADS + ", not " + value);
        }
        return threads;
    }

    public void start() {
        thread.start();
    }

    private void loop(Taker taker) {
        while (open) {
            try {
                receive(taker);
            } catch (Throwable e) { // of any kind: without this thread, packets of some peers would never arrive
                fail(taker, e);
                LockSupport.parkNanos(this, FAILED_NANOS);
            }
        }
    }

    private static void fail(Taker taker, Throwable cause) {
        try {
            taker.failed(cause);
        } catch (Throwable again) {
            if (again != cause) { // else it refuses, by an exception that would end the lane's thread
                cause.addSuppressed(again);
            }
        }
    }

    private void receive(Taker taker) {
        int idle = 0;
        while (open) {
            if (gather()) {
                taker.take(this);
                idle = 0;
            } else if (++idle < SPINS) {
                Thread.onSpinWait();
            } else {
                socket.await(-1, true);
                idle = 0;
            }
        }
    }

    /**
     * Gathers the datagrams of one system call, or a part of them.
     *
     * @return whether there are any
     */
    private boolean gather() {
        count = 0;
        int bytes = socket.receive(from[0]);
        while (bytes >= 0) {
            at[count] = socket.received();
            length[count] = bytes;
            intact[count] =
                    UdpLink.plausible(bytes) && icrc.matches(memory, at[count], bytes - Icrc.BYTES, from[count], local);
            count++;
            bytes = count < MOST ? socket.receiveBeside(from[count]) : -1;
        }
        return count > 0;
    }

    /** Returns the number of gathered datagrams. In a turn, like the accessors below. */
    public int count() {
        return count;
    }

    UdpAddress from(int i) {
        return from[i];
    }

    int at(int i) {
        return at[i];
    }

    int length(int i) {
        return length[i];
    }

    boolean intact(int i) {
        return intact[i];
    }

    ByteBuffer memory() {
        return memory;
    }

    long base() {
        return socket.base();
    }

    /** Stops the thread, waits for it and closes the socket. Not in a turn. */
    public void close() {
        open = false;
        socket.wake();
        Threads.join(thread);
        socket.close();
    }
}
