package io.rdma.internal.soft.device;

import io.rdma.internal.soft.link.ReceiveLane;
import io.rdma.internal.soft.link.SocketWatch;
import io.rdma.internal.soft.link.Threads;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.StrictTiming;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - run queue, timer and `sleepsUntil` belong to who holds the turn.
// - No doorbell is left behind: it is queued before the turn is tried for, and the queue is looked at after each turn
// was given back. The device's thread says that it sleeps before it looks for the last time; who leaves work behind
// does so before looking whether it sleeps.
// - `timer` is not later than the earliest of all queue pairs; it may be earlier than that, as timers are stopped all
// the time.
// - Nothing that is thrown in a turn leaves it, so neither the device's thread nor a thread that posts or polls ends by
// that. What is thrown while a queue pair runs costs that queue pair, all else costs every queue pair.

/**
 * Who may touch a device's protocol state, one at a time: its thread, and whoever posts or calls while nobody else
 * does.
 */
final class DeviceTurns {
    /** The device whose turns these are. In a turn. */
    interface Owner {
        /** Takes a packet off the link. */
        void deliver(Packet packet, UdpAddress from, long now);

        /** Ends the queue pairs in whose run or delivery something was thrown ({@link SoftQp#broken}). */
        void endBroken();

        /** Ends all queue pairs, as something was thrown that concerns none alone. */
        void broken(Throwable cause);
    }

    private static final int RECEIVES = 64;
    /** What a thread that only posted does at most for others. */
    private static final int RUNS = 64;

    private static final int SPINS = 20;
    /** Pause of the device's thread after a turn that failed, so that a fault that stays does not fill a processor. */
    private static final long FAILED_NANOS = 10_000_000;

    private final ReentrantLock turn = new ReentrantLock(true);
    private final Queue<SoftQp> doorbells = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final ArrayDeque<SoftQp> runQueue = new ArrayDeque<>();
    private final Packet incoming = new Packet();
    private final UdpLink link;
    private final List<SoftQp> all;
    private final Owner owner;
    private final @Nullable StrictTiming timing;
    private final SocketWatch watch = new SocketWatch(Runtime.getRuntime().availableProcessors() > 1);
    private final Thread thread;
    private final List<ReceiveLane> lanes;
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private volatile boolean leftOver;
    private volatile boolean open = true;
    private long timer; // 0: none
    private boolean rescan; // in a turn
    /** Whether a queue pair is {@link SoftQp#broken}. In a turn. */
    boolean anyBroken;

    private long sleepsUntil; // 0: for ever

    /** @param threads how many take packets off the link */
    DeviceTurns(UdpLink link, List<SoftQp> all, Owner owner, @Nullable StrictTiming timing, int threads) {
        this.link = link;
        this.all = all;
        this.owner = owner;
        this.timing = timing;
        thread = Thread.ofPlatform().daemon().name("rdma-soft0").unstarted(this::loop);
        lanes = link.lanes(threads - 1, new LaneTurns());
    }

    void start() {
        thread.start();
        lanes.forEach(ReceiveLane::start);
    }

    /**
     * Runs something in a turn of its own; what it makes runnable has run when this returns, within a bound. Not in a
     * turn.
     */
    <T> T call(Supplier<T> task) {
        turn.lock();
        try {
            return task.get();
        } finally {
            boolean more;
            try {
                more = drain();
            } finally {
                turn.unlock();
            }
            after(more);
        }
    }

    /** Something was posted: it is done at once if nobody else has the turn. Any thread. */
    void ring(SoftQp qp) {
        if (qp.rung.compareAndSet(false, true)) {
            doorbells.add(qp);
            after(false);
        }
    }

    /** After a turn, or after something was queued. */
    private void after(boolean before) {
        boolean more = before;
        while (!more && !doorbells.isEmpty() && turn.tryLock()) {
            try {
                more = drain();
            } finally {
                turn.unlock();
            }
        }
        if (more) {
            wake();
        }
    }

    /**
     * Somebody polls a completion queue that is empty: if the device's thread relies on that, he does what it would do.
     * Any thread, not in a turn.
     */
    void polled() {
        if (!watch.polled() || !turn.tryLock()) {
            return;
        }
        boolean more = false;
        try {
            // Else the socket is closed, or soon; or the device's thread is about to watch it again, and would not see
            // what one system call takes from it and one turn does not deliver.
            if (open && watch.isAway()) {
                more = receiveAndDrain();
            }
        } finally {
            turn.unlock();
        }
        after(more);
    }

    /** Somebody who polled goes to sleep. Any thread. */
    void left() {
        if (watch.left()) {
            wake();
        }
    }

    private void wake() {
        if (sleeping.compareAndSet(true, false)) {
            link.wake();
        }
    }

    void close() {
        open = false;
        link.wake();
        Threads.join(thread); // whatever interrupts: the link must not go under its thread
        lanes.forEach(ReceiveLane::close);
        turn.lock();
        try {
            link.close(); // by now nobody wakes it: there are no queue pairs
        } finally {
            turn.unlock();
        }
    }

    private void loop() {
        while (open) {
            try {
                takeTurns();
            } catch (Throwable e) { // whatever it is: all queue pairs end, and the device goes on for new ones
                inTurn(() -> fail(e));
                LockSupport.parkNanos(this, FAILED_NANOS);
            }
        }
    }

    private void takeTurns() {
        int idle = 0;
        while (open) {
            boolean worked;
            turn.lock();
            try {
                worked = takeTurn();
            } finally {
                turn.unlock();
            }
            if (worked) {
                idle = 0;
            } else if (++idle < SPINS) {
                Thread.onSpinWait();
            } else {
                idle = sleep() ? SPINS : 0;
            }
        }
    }

    private void inTurn(Runnable task) {
        turn.lock();
        try {
            task.run();
        } finally {
            turn.unlock();
        }
    }

    /** Ends all queue pairs. In a turn; throws nothing. */
    private void fail(Throwable cause) {
        try {
            owner.broken(cause);
        } catch (Throwable again) { // such as no memory left: the next turn tries again
            leftOver = true;
        }
    }

    /**
     * A turn of the device's thread.
     *
     * @return whether there was anything to do
     */
    private boolean takeTurn() {
        if (!open) {
            return false; // the socket may be closed
        }
        if (rescan) {
            rescan();
        }
        boolean work = receive() | !runQueue.isEmpty() | !doorbells.isEmpty();
        drain();
        return work;
    }

    /** Has every queue pair run: a thread whose stack was full may have left any of them between two steps. */
    private void rescan() {
        rescan = false;
        anyBroken = true;
        runQueue.clear();
        for (SoftQp qp : all) {
            qp.queued = false;
            hear(qp);
        }
    }

    /**
     * What a thread that polls does for the device's own.
     *
     * @return as {@link #drain}
     */
    private boolean receiveAndDrain() {
        try {
            receive();
        } catch (StackOverflowError e) {
            rescan = true;
        } catch (Throwable e) {
            fail(e);
        }
        return drain() | rescan;
    }

    /**
     * What has arrived, and what is due.
     *
     * @return whether anything has arrived
     */
    private boolean receive() {
        long now = System.nanoTime();
        link.release(now);
        int received = 0;
        while (received < RECEIVES && receiveOne(now)) {
            received++;
        }
        if (received > 0) {
            watch.arrived();
        }
        if (timer != 0 && now - timer >= 0) {
            due(now);
        }
        if (timing != null) {
            timing.release(this::hear);
        }
        return received > 0;
    }

    private boolean receiveOne(long now) {
        UdpAddress from = link.receive(incoming);
        if (from != null) {
            owner.deliver(incoming, from, now);
        }
        return from != null;
    }

    /** What the lanes have gathered becomes turns. On a lane's thread, not in a turn. */
    private final class LaneTurns implements ReceiveLane.Taker {
        @Override
        public void take(ReceiveLane lane) {
            boolean more;
            turn.lock();
            try {
                deliver(lane);
                more = drain();
            } finally {
                turn.unlock();
            }
            after(more);
        }

        @Override
        public void failed(Throwable cause) {
            inTurn(() -> fail(cause));
            wake();
        }
    }

    private void deliver(ReceiveLane lane) {
        try {
            long now = System.nanoTime();
            for (int i = 0; i < lane.count(); i++) {
                UdpAddress from = link.receive(lane, i, incoming);
                if (from != null) {
                    owner.deliver(incoming, from, now);
                }
            }
        } catch (Throwable e) {
            fail(e);
        }
    }

    private void due(long now) {
        timer = link.wakeAt();
        for (SoftQp qp : all) {
            long at = qp.requester.wakeAt();
            if (at != 0 && now - at >= 0) {
                runnable(qp);
            } else if (at != 0 && (timer == 0 || at - timer < 0)) {
                timer = at;
            }
        }
    }

    /**
     * Runs what is runnable, within a bound; throws nothing.
     *
     * @return whether the device's thread has to go on, or to set its clock
     */
    private boolean drain() {
        boolean more;
        try {
            more = drainQueue();
            while (anyBroken) {
                anyBroken = false;
                owner.endBroken();
                more |= drainQueue();
            }
            return more;
        } catch (StackOverflowError e) { // of an application's stack: the device's thread, whose is its own, goes on
            rescan = true;
            leftOver = true;
            return true;
        } catch (Throwable e) {
            fail(e);
            leftOver = true; // the device's thread looks what is left
            return true;
        }
    }

    private boolean drainQueue() {
        long now = System.nanoTime();
        boolean earlier = false;
        for (int i = 0; i < RUNS; i++) {
            for (SoftQp rang; (rang = doorbells.poll()) != null; ) {
                if (timing == null || !timing.overlooks(rang)) {
                    hear(rang);
                }
            }
            SoftQp qp = runQueue.poll();
            if (qp == null) {
                break;
            }
            qp.queued = false;
            run(qp, now);
            earlier |= note(qp.requester.wakeAt());
        }
        link.flush();
        earlier |= note(link.wakeAt());
        boolean more = !runQueue.isEmpty() || timing != null && timing.isPending();
        leftOver = more;
        return more || earlier;
    }

    private void run(SoftQp qp, long now) {
        try {
            if (qp.run(now)) {
                runnable(qp);
            }
        } catch (Throwable e) { // no call here: the stack may have no room for one
            qp.broken = e;
            anyBroken = true;
        }
    }

    /** @return whether the device's thread would sleep too long */
    private boolean note(long at) {
        if (at == 0) {
            return false;
        }
        if (timer == 0 || at - timer < 0) {
            timer = at;
        }
        if (sleepsUntil == 0 || at - sleepsUntil < 0) {
            sleepsUntil = at;
            return true;
        }
        return false;
    }

    /** @return whether others were to watch the socket */
    private boolean sleep() {
        boolean away;
        long until;
        turn.lock();
        try {
            sleeping.set(true); // before: who leaves and finds it away wakes it
            away = watch.leaveToPollers();
            until = timer;
            if (away) {
                long back = System.nanoTime() + SocketWatch.AWAY_NANOS;
                until = until == 0 || back - until < 0 ? back : until;
            }
            sleepsUntil = until;
        } finally {
            turn.unlock();
        }
        if (doorbells.isEmpty() && !leftOver && open) {
            link.await(until == 0 ? -1 : Math.max(0, until - System.nanoTime()), !away);
        }
        sleeping.set(false);
        return away;
    }

    /** Has a queue pair run soon. In a turn. */
    void runnable(SoftQp qp) {
        if (!qp.queued) {
            qp.queued = true;
            runQueue.add(qp);
        }
    }

    /** A doorbell. In a turn. */
    void hear(SoftQp rang) {
        rang.rung.set(false); // before the rings are read: what is posted later rings again
        runnable(rang);
    }

    void forget(SoftQp qp) {
        if (timing != null) {
            timing.forget(qp);
        }
        runQueue.remove(qp);
    }
}
