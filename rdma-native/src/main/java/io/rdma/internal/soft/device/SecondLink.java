package io.rdma.internal.soft.device;

import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.Threads;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

// Invariants
// - The link belongs to the thread that holds the device's turn, except for its wait, which is the own thread's.
// - `packet` and `waitNanos` belong to the own thread, in a turn and outside.

/**
 * Link at the second address of a device, GID index 1, with a thread that receives from it. It carries the packets of
 * connected queue pairs whose path starts there, as datagrams.
 */
final class SecondLink implements AutoCloseable {
    /** Index of the GID of this link. */
    static final int GID_INDEX = 1;

    private static final int RECEIVES = 64;
    private static final long FAILED_NANOS = 10_000_000;

    private final SoftDevice device;
    private final UdpLink link;
    private final Packet packet = new Packet();
    private final Thread thread;
    private final Supplier<Integer> turn = this::turn; // once, instead of for each wait
    private final LimitedLog log = new LimitedLog(SecondLink.class);
    private long waitNanos;
    private volatile boolean open = true;

    /**
     * Binds the socket, without starting the thread.
     *
     * @param config configuration of a device at the second address
     */
    SecondLink(SoftDevice device, SoftConfig config, Counters counters) {
        this.device = device;
        link = new UdpLink(config, counters, false);
        thread = config.environment().newThread("rdma-soft0-second", this::run);
    }

    void start() {
        thread.start();
    }

    UdpLink link() {
        return link;
    }

    /** Sends a packet with the next flush. In a turn. */
    void send(SoftQp from, Packet sent) {
        link.send(sent, Objects.requireNonNull(from.peer), from.path);
        if (link.wakeAt() != 0) { // faults delay it: the thread sends it when it is due
            link.wake();
        }
    }

    private void run() {
        while (open) {
            try {
                device.call(turn);
                link.await(waitNanos, true);
            } catch (Throwable e) { // of any kind: without this thread the address receives nothing
                log.log(System.Logger.Level.WARNING, "the second address of the software device: a turn failed", e);
                LockSupport.parkNanos(this, FAILED_NANOS);
            }
        }
    }

    /** Receives packets, within a bound. What it throws ends all queue pairs, as in the device's own thread. */
    private int turn() {
        try {
            return receive();
        } catch (Throwable e) { // of any kind
            device.broken(e);
            throw e;
        }
    }

    private int receive() {
        long now = device.environment().nanoTime();
        link.release(now);
        int received = 0;
        for (UdpAddress from; received < RECEIVES && (from = link.receive(packet)) != null; received++) {
            if (packet.transport != Opcode.UD) { // datagrams have the first address only
                device.deliverConnected(packet, from, GID_INDEX, now);
            }
        }
        long due = link.wakeAt();
        waitNanos = received == RECEIVES ? 0 : due == 0 ? -1 : Math.max(0, due - now);
        return received;
    }

    /** Ends the thread. Not in a turn. */
    void endThread() {
        open = false;
        link.wake();
        Threads.join(thread);
    }

    /** Closes the socket, after {@link #endThread}. In a turn. */
    @Override
    public void close() {
        link.close();
    }
}
