package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;

// Invariants
// - What was gathered is of one system call, so that nothing is overwritten after its ICRC was checked, and is
// delivered in its order, in one turn, before the next call. The kernel gives all packets of a sender's port to one
// socket, so those of a queue pair stay in order.
// - A lane's thread touches nothing but its own socket, memory and arrays outside of a turn.

/**
 * One more socket at a device's address with a thread that takes packets off it: system call, copy and ICRC beside the
 * device's turn, delivery in it.
 */
public final class ReceiveLane {
    /** What becomes of a lane's packets, and of its failures. On its thread, not in a turn. */
    public interface Taker {
        void take(ReceiveLane lane);

        /** Something was thrown beside a delivery; the lane goes on. */
        void failed(Throwable cause);
    }

    /** System property: how many threads receive, 1 by default. */
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
     * @param address where a {@link NativeSocket} listens that is shared
     * @throws IOException if there cannot be one more
     */
    ReceiveLane(InetSocketAddress address, int number, Taker taker) throws IOException {
        socket = new NativeSocket(address, true);
        memory = socket.memory().order(ByteOrder.BIG_ENDIAN);
        local = new UdpAddress(address);
        for (int i = 0; i < MOST; i++) {
            from[i] = new UdpAddress();
        }
        thread = Thread.ofPlatform().daemon().name("rdma-soft0-" + number).unstarted(() -> loop(taker));
    }

    /** @param value of the system property */
    public static int threads(String value) {
        int threads;
        try {
            threads = Integer.parseInt(value.strip());
        } catch (NumberFormatException e) {
            threads = 0;
        }
        if (threads < 1 || threads > MOST_THREADS) {
            throw new VerbsException(
                    "soft0", Errno.EINVAL, "Set -D" + PROPERTY + " to 1 to " + MOST_THREADS + ", not " + value);
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
            } catch (Throwable e) { // whatever it is: without this thread no packet of some peers would arrive
                fail(taker, e);
                LockSupport.parkNanos(this, FAILED_NANOS);
            }
        }
    }

    private static void fail(Taker taker, Throwable cause) {
        try {
            taker.failed(cause);
        } catch (Throwable again) {
            cause.addSuppressed(again);
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
     * Takes what one system call brings, or a part of that.
     *
     * @return whether there is anything
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

    /** How many datagrams were gathered. In a turn, like what follows. */
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

    /** Waits for the thread. Not in a turn. */
    public void close() {
        open = false;
        socket.wake();
        Threads.join(thread);
        socket.close();
    }
}
