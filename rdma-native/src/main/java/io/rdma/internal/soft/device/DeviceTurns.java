package io.rdma.internal.soft.device;

import io.rdma.environment.Environment;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Run queue, timer and `sleepsUntil` belong to the thread that holds the turn.
// - No doorbell is lost. A posting thread queues its doorbell before it tries for the turn, and every thread checks the
// queue again after it has released the turn. The device's thread sets `sleeping` before its last check for work. A
// thread that leaves work behind does so before it reads `sleeping`.
// - `timer` is not later than the earliest timer of all queue pairs. It may be earlier, because queue pairs stop their
// timers often.
// - No exception leaves a turn, except one of the task of call(), which goes to its caller. So none ends the device's
// thread or a thread that posts or polls. An exception or stack overflow in the run of a queue pair ends that queue
// pair; any other failure ends every queue pair.

/**
 * The turns in which threads run a software device, one thread at a time. The device's own thread takes turns; so does
 * a thread that posts, polls or calls while no other thread holds the turn.
 */
final class DeviceTurns {
    /** The device that these turns run. In a turn. */
    interface Owner {
        /** Delivers a packet that the link has received. */
        void deliver(Packet packet, UdpAddress from, long now);

        /** Sends what the links have queued. */
        void flush();

        /** Ends the queue pairs whose run or delivery threw ({@link SoftQp#broken}). */
        void endBroken();

        /** Ends all queue pairs after an exception that concerns no single one. */
        void broken(Throwable cause);
    }

    private static final int RECEIVES = 64;
    /** Upper bound of queue pair runs in one turn: it limits the work that a posting thread does for others. */
    private static final int RUNS = 64;

    private static final int SPINS = 20;
    /** Longest time until a queue pair looks for room again. */
    private static final long ROOM_NANOS = 1_000_000;
    /** Pause of the device's thread after a failed turn, so that a lasting fault does not occupy a processor. */
    private static final long FAILED_NANOS = 10_000_000;

    private final Environment environment;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Queue<SoftQp> doorbells = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final ArrayDeque<SoftQp> runQueue = new ArrayDeque<>();
    private final ArrayDeque<SoftQp> crowded = new ArrayDeque<>(); // queue pairs that wait for room on the link
    private final Packet incoming = new Packet();
    private final UdpLink link;
    private final List<SoftQp> all;
    private final Owner owner;
    private final @Nullable StrictTiming timing;
    private final Consumer<SoftQp> hear = this::hear; // once, instead of in each turn
    private final SocketWatch watch = new SocketWatch(Runtime.getRuntime().availableProcessors() > 1);
    private final Thread thread;
    private final List<ReceiveLane> lanes;
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private volatile boolean leftOver;
    private volatile boolean open = true;
    private long timer; // 0: none
    private long roomAt; // when `crowded` queue pairs look again
    private boolean rescan; // in a turn
    /** Whether a queue pair is {@link SoftQp#broken}. In a turn. */
    boolean anyBroken;

    private long sleepsUntil; // 0: forever

    /**
     * Creates the turns, without starting a thread.
     *
     * @param threads number of threads that receive packets from the link
     */
    DeviceTurns(
            Environment environment,
            UdpLink link,
            List<SoftQp> all,
            Owner owner,
            @Nullable StrictTiming timing,
            int threads) {
        this.environment = environment;
        this.link = link;
        this.all = all;
        this.owner = owner;
        this.timing = timing;
        thread = environment.newThread("rdma-soft0", this::loop);
        lanes = link.lanes(threads - 1, new LaneTurns());
    }

    void start() {
        thread.start();
        lanes.forEach(ReceiveLane::start);
    }

    /** Runs a task in a turn of its own, then the queue pairs that it made runnable, within a bound. Not in a turn. */
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

    /** Rings a queue pair's doorbell after a post, and runs it at once if the turn is free. Any thread. */
    void ring(SoftQp qp) {
        if (qp.rung.compareAndSet(false, true)) {
            doorbells.add(qp);
            after(false);
        }
    }

    /** Runs doorbells that are still queued, after a turn or a post, and wakes the device's thread if work remains. */
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
     * Notes that a thread polled an empty completion queue. If the device's thread has left the socket to polling
     * threads, the polling thread receives in its place. Any thread, not in a turn.
     */
    void polled() {
        if (!watch.polled() || !turn.tryLock()) {
            return;
        }
        boolean more = false;
        try {
            // Otherwise the socket is closed or about to be; or the device's thread is about to watch it again, and
            // would not see packets that one system call took from the socket and one turn did not deliver.
            if (open && watch.isAway()) {
                more = receiveAndDrain();
            }
        } finally {
            turn.unlock();
        }
        after(more);
    }

    /** Notes that a thread that has polled goes to sleep. Any thread. */
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

    /**
     * Ends the device's thread and closes the link.
     *
     * @param last runs in a turn after the last one of that thread
     */
    void close(Runnable last) {
        open = false;
        link.wake();
        Threads.join(thread); // despite interrupts: the link must outlive its thread
        lanes.forEach(ReceiveLane::close);
        turn.lock();
        try {
            last.run();
            link.close(); // no thread can wake it now: there are no queue pairs
        } finally {
            turn.unlock();
        }
    }

    private void loop() {
        while (open) {
            try {
                takeTurns();
            } catch (Throwable e) { // of any kind: all queue pairs end, and the device remains usable for new ones
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
        } catch (Throwable again) { // such as out of memory: the next turn tries again
            leftOver = true;
        }
    }

    /**
     * Runs one turn of the device's thread.
     *
     * @return whether there was work
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

    /** Makes every queue pair run: a stack overflow may have interrupted any of them between two steps. */
    private void rescan() {
        rescan = false;
        anyBroken = true;
        runQueue.clear();
        crowded.clear();
        for (SoftQp qp : all) {
            qp.queued = false;
            qp.crowded = false;
            hear(qp);
        }
    }

    /**
     * Receives and drains on a polling thread, in place of the device's thread.
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
     * Delivers packets that have arrived, and handles timers that are due.
     *
     * @return whether a packet has arrived
     */
    private boolean receive() {
        long now = environment.nanoTime();
        link.release(now);
        if (!crowded.isEmpty() && (!link.isCrowded() || now - roomAt >= 0)) {
            for (SoftQp qp; (qp = crowded.poll()) != null; ) {
                qp.crowded = false;
                runnable(qp);
            }
        }
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
            timing.release(hear);
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

    /** Delivery of a lane's packets, one turn for each batch. On the lane's thread, not in a turn. */
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
            long now = environment.nanoTime();
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
     * Runs runnable queue pairs, within a bound. Throws nothing.
     *
     * @return whether the device's thread has to continue, or to wake earlier than planned
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
        } catch (StackOverflowError e) { // of an application's thread: the device's thread continues on its own stack
            rescan = true;
            leftOver = true;
            return true;
        } catch (Throwable e) {
            fail(e);
            leftOver = true; // the device's thread handles the rest
            return true;
        }
    }

    private boolean drainQueue() {
        long now = environment.nanoTime();
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
        owner.flush();
        earlier |= note(link.wakeAt());
        if (!crowded.isEmpty()) { // the peer's answers wake this device, unless the peer has none to give
            earlier |= note(roomAt);
        }
        boolean more = !runQueue.isEmpty() || timing != null && timing.isPending();
        leftOver = more;
        return more || earlier;
    }

    private void run(SoftQp qp, long now) {
        try {
            if (qp.run(now)) {
                runnable(qp);
            }
        } catch (Throwable e) { // no call here: the stack may have no room for it
            qp.broken = e;
            anyBroken = true;
        }
    }

    /**
     * Notes a time at which the device's thread must be awake.
     *
     * @return whether it would sleep past that time
     */
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

    /**
     * Sleeps until a packet, a timer or a wake-up.
     *
     * @return whether the socket was left to polling threads during the sleep
     */
    private boolean sleep() {
        boolean away;
        long until;
        turn.lock();
        try {
            sleeping.set(true); // first: a polling thread that leaves and finds this thread away wakes it
            away = watch.leaveToPollers();
            until = timer;
            if (away) {
                long back = environment.nanoTime() + SocketWatch.AWAY_NANOS;
                until = until == 0 || back - until < 0 ? back : until;
            }
            sleepsUntil = until;
        } finally {
            turn.unlock();
        }
        if (doorbells.isEmpty() && !leftOver && open) {
            link.await(until == 0 ? -1 : Math.max(0, until - environment.nanoTime()), !away);
        }
        sleeping.set(false);
        return away;
    }

    /** Adds a queue pair to the run queue. In a turn. */
    void runnable(SoftQp qp) {
        if (!qp.queued) {
            qp.queued = true;
            runQueue.add(qp);
        }
    }

    /** Handles a doorbell. In a turn. */
    void hear(SoftQp rang) {
        rang.rung.set(false); // before the rings are read: a later post rings again
        runnable(rang);
    }

    /** Runs a queue pair again when the link may have room. In a turn. */
    void awaitRoom(SoftQp qp) {
        if (crowded.isEmpty()) {
            roomAt = environment.nanoTime() + ROOM_NANOS;
        }
        if (!qp.crowded) {
            qp.crowded = true;
            crowded.add(qp);
        }
    }

    void forget(SoftQp qp) {
        if (timing != null) {
            timing.forget(qp);
        }
        runQueue.remove(qp);
        crowded.remove(qp);
    }
}
