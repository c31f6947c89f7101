package io.rdma.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.buffer.RegistrationCache;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import io.rdma.verbs.MemoryWindowType;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.WorkCompletionException;
import io.rdma.verbs.WorkCompletionStatus;
import io.rdma.verbs.WorkRequestOpcode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

// States: OPEN -> LEAVING (says farewell, where there is one to be said) -> CLOSING (queue pair in ERR, drains) ->
// CLOSED (queue pair destroyed).
// Close order: refuse submissions, fail what waits, say farewell behind what was posted (bounded), QP to ERR, count
// completions down (bounded), destroy QP, fail what is left, release slots, regions.
// LEAVING ends when the farewell has completed, the peer has ended, the loop or queue pair cannot complete it, or time
// is up.
// The end (first failure, or an orderly close) is decided once, by whoever sets `end`.

/** One connection in the engine: a queue pair with its send queue, receive queue and buffers. Thread-safe. */
public final class RdmaEndpoint implements Submitter {
    /**
     * Why an endpoint ended: {@code cause} is null after an orderly close, {@code farewell} is the frame to be sent.
     */
    private record End(String message, @Nullable Throwable cause, int farewell) {
        /** An end of which the peer is not told, because it knows or cannot be. */
        End(String message, @Nullable Throwable cause) {
            this(message, cause, Frame.DATA);
        }
    }

    private static final long REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration FOR_EVER = Duration.ofDays(365 * 100);

    private final CompletionReservation completions;
    private final CompletionLoop loop;
    private final RegistrationCache registrations;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final EndpointOptions options;
    private final MemoryRegion sendSlots;
    private final Credits credits;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final BufferPool sendBuffers;
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<BoundWindow> windows = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private final AtomicInteger openStreams = new AtomicInteger();
    private final CompletableFuture<Void> ending = new CompletableFuture<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final long opened = System.nanoTime();
    private final @Nullable Probe probe;
    private boolean peerEnded; // (loop)
    private long leaveDeadline; // (loop) System.nanoTime
    private volatile long drainDeadline; // System.nanoTime

    /**
     * Takes over a queue pair in INIT and posts its receives. Within an {@link RdmaResources#begin pending setup}, if
     * the resources may be closed meanwhile.
     *
     * @param completions for all work requests of the queue pair; owned like that
     * @param registrations with the domain of the queue pair
     * @param queuePair in INIT; owned by the endpoint from now on, also if this throws
     * @param shared where the queue pair takes its receives; null if it has its own
     * @param options negotiated
     */
    public RdmaEndpoint(
            CompletionReservation completions,
            RegistrationCache registrations,
            QueuePair queuePair,
            @Nullable SharedReceives shared,
            EndpointOptions options) {
        this(completions, registrations, queuePair, shared, null, options);
    }

    /** @param datagrams of a queue pair for datagrams; null for one that is to be connected */
    RdmaEndpoint(
            CompletionReservation completions,
            RegistrationCache registrations,
            QueuePair queuePair,
            @Nullable SharedReceives shared,
            @Nullable DatagramReader datagrams,
            EndpointOptions options) {
        this.completions = completions;
        this.loop = completions.loop();
        this.registrations = registrations;
        this.domain = registrations.domain();
        this.queuePair = queuePair;
        this.options = options;
        credits = new Credits(
                options.credits(),
                options.firstReceiveBuffers(),
                options.receiveBuffers(),
                options.peerFirstReceiveBuffers(),
                options.peerReceiveBuffers(),
                options.farewells());
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(completions);
            cleanup.add(queuePair);
            loop.requireLive();
            sendSlots = cleanup.add(domain.allocate(
                    (long) SendQueue.depth(options) * RequestEncoder.SLOT_BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE)));
            sendBuffers = cleanup.add(new BufferPool(
                    domain, options.firstSendBuffers(), options.sendBuffers(), options.sendBufferSize()));
            receives = new ReceiveQueue(this, queuePair, domain, shared, datagrams, credits, options);
            cleanup.add(receives::destroyed);
            sends = new SendQueue(this, queuePair, loop.table(), sendSlots, receives, credits, options);
            probe = probeNanos() == 0 ? null : new Probe(this, sendSlots, probeNanos());
            cleanup.keep();
        }
        loop.join(this);
        receives.postAll();
    }

    /**
     * The loop that completes its operations.
     *
     * @return the loop
     */
    public CompletionLoop loop() {
        return loop;
    }

    /**
     * Its receives.
     *
     * @return the queue
     */
    public ReceiveQueue receives() {
        return receives;
    }

    /**
     * Its buffers for outgoing messages.
     *
     * @return the pool
     */
    public BufferPool sendBuffers() {
        return sendBuffers;
    }

    /**
     * What was negotiated.
     *
     * @return options
     */
    public EndpointOptions options() {
        return options;
    }

    /**
     * Number of the queue pair.
     *
     * @return 24 bits
     */
    public int qpNumber() {
        return queuePair.number();
    }

    /**
     * Work requests posted and not completed.
     *
     * @return 0 when idle
     */
    public long inFlight() {
        return sends.inFlight();
    }

    /**
     * Submits an operation; it is posted at once or when there is room, and ends exactly once: with its value, with a
     * {@link WorkCompletionException} if it is the one that failed, with a {@link ConnectionClosedException} if the
     * connection ended before.
     *
     * @param operation fresh, or ended
     * @throws IllegalStateException if it is in flight, or if its buffer is closed or in use in a way that excludes
     *     this; nothing was submitted then
     * @throws IllegalArgumentException if a message is longer than the peer's receive buffer; nothing was submitted
     *     then
     * @throws NoReadsException if it is a read or an atomic and the peer offers none; nothing was submitted then
     */
    @Override
    public void submit(Operation operation) {
        WorkRequest request = operation.request();
        if (options.maxRdAtomic() == 0 && request.opcode().isReadOrAtomic()) {
            throw new NoReadsException(request.opcode());
        }
        int length = operation.fixLength();
        boolean send = request.remote() == null && request.opcode().consumesReceive();
        if (send && length > options.maxMessageSize()) {
            throw new IllegalArgumentException("message of " + length + " bytes is larger than the peer receives, "
                    + options.maxMessageSize()
                    + " bytes: send less, or have the peer configure larger receiveBuffers, or maxMessageSize and a"
                    + " maxRdAtomic above 0");
        }
        if (!operation.borrow()) {
            return;
        }
        if (send && length > options.peerReceiveBufferSize()) {
            try {
                operation.expose(domain.register(request.message(length), EnumSet.of(AccessFlag.REMOTE_READ)));
            } catch (RuntimeException e) {
                request.unborrow();
                throw e;
            }
        }
        sends.submit(operation);
    }

    /**
     * Allocates registered memory; it is closed with the connection, unless closed before.
     *
     * @param bytes at least 1
     * @param access rights
     * @return zeroed
     * @throws ConnectionClosedException if the connection is closed
     */
    public MemoryRegion allocate(long bytes, Set<AccessFlag> access) {
        if (end.get() != null) {
            throw closedException(false);
        }
        return ours(domain.allocate(bytes, access));
    }

    /**
     * Lets the peer use a part of a region for some time, with a key of its own; it ends by itself then, or by its
     * close, or with the connection. A request of the peer's that comes later fails, and with it the connection.
     *
     * @param memory region of this connection, local access is enough
     * @param offset first byte
     * @param length bytes
     * @param time until the key is void
     * @param access what the peer may do
     * @return whose {@link MemoryRegion#remote} the peer is to get
     * @throws ConnectionClosedException if the connection is closed
     * @throws IndexOutOfBoundsException if the part does not lie inside
     */
    public MemoryRegion grant(MemoryRegion memory, long offset, long length, Duration time, Set<AccessFlag> access) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("a grant lasts for a time above zero, not " + time);
        }
        if (end.get() != null) {
            throw closedException(false);
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        MemoryRegion grant = ours(domain.grant(memory, offset, length, access, () -> {
            over.cancel(false); // and its timer with it
            regions.removeIf(MemoryRegion::isClosed);
        }));
        // Deregistering takes its time: on a thread of its own.
        over.completeOnTimeout(null, nanos(time), TimeUnit.NANOSECONDS)
                .thenRunAsync(grant::close, Thread::startVirtualThread);
        return grant;
    }

    /**
     * Lets the peer use a part of a region through a memory window, without registering it anew: only through this
     * connection, until the window is closed, the peer sends with invalidate, or the connection ends. A request of the
     * peer's that comes later fails, and with it the connection. Some devices, {@code rdma_rxe} among them, check the
     * range against the whole region only.
     *
     * <p><b>Completes</b> on the loop when the device has bound it; exceptionally with
     * {@link io.rdma.verbs.WorkCompletionException}, and the connection is lost, if the region has not the rights.
     * <b>Cancel</b> closes the window once it is bound. Takes a system call.
     *
     * @param memory region with {@link AccessFlag#MW_BIND}, and {@link AccessFlag#LOCAL_WRITE} if the peer may write
     * @param offset first byte
     * @param length bytes, at least 1
     * @param access what the peer may do
     * @return the window, to be closed; closed with the connection at the latest
     * @throws ConnectionClosedException if the connection is closed
     * @throws IndexOutOfBoundsException if the part does not lie inside
     * @throws io.rdma.verbs.VerbsException EOPNOTSUPP if the device has no windows of type 2: {@link #grant} does it
     *     too
     */
    public CompletableFuture<BoundWindow> bind(MemoryRegion memory, long offset, long length, Set<AccessFlag> access) {
        MemoryWindowBinding binding = new MemoryWindowBinding(memory, offset, length, access);
        if (length == 0) {
            throw new IllegalArgumentException("a window of no bytes cannot be bound");
        }
        if (end.get() != null) {
            throw closedException(false);
        }
        MemoryWindow window = domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        BoundWindow bound = new BoundWindow(window);
        windows.removeIf(BoundWindow::isClosed);
        windows.add(bound);
        BindOperation operation = new BindOperation(window, bound, binding);
        submit(operation);
        return operation.result();
    }

    /** After which it probes its peer when nothing happens; 0 for never. */
    long probeNanos() {
        return nanos(options.probeInterval());
    }

    /** Probes the peer if nothing has happened for the interval. Loop thread. */
    void probeIfQuiet(long now) {
        Probe asking = probe;
        if (asking != null) {
            attempt(() -> asking.askIfQuiet(now));
        }
    }

    /** What was sent and has arrived so far: another number if anything has happened since. Loop thread. */
    long happened() {
        return sends.retired() + credits.received();
    }

    private static long nanos(Duration time) {
        return time.compareTo(FOR_EVER) > 0 ? FOR_EVER.toNanos() : time.toNanos();
    }

    /**
     * Makes memory of the application usable as source or target, see {@link RegistrationCache#lease}. Not on the loop.
     *
     * @param memory native, not of a confined arena
     * @return to be closed
     * @throws ConnectionClosedException if the connection is closed
     */
    public RegisteredBuffer register(MemorySegment memory) {
        if (end.get() != null) {
            throw closedException(false);
        }
        return registrations.lease(memory);
    }

    /**
     * Memory of the application that stays registered.
     *
     * @return shared by all connections of the domain
     */
    public RegistrationCache registrations() {
        return registrations;
    }

    private MemoryRegion ours(MemoryRegion region) {
        regions.removeIf(MemoryRegion::isClosed);
        regions.add(region);
        if (end.get() != null) {
            region.close(); // the close may have missed it
        }
        return region;
    }

    /**
     * Completes on the loop when the end begins, before the queue pair leaves its state.
     *
     * @return shared
     */
    public CompletableFuture<Void> ending() {
        return ending;
    }

    /**
     * Completes on the loop when this side says no more, before the queue pair leaves its state: its farewell has
     * arrived, or there is none, or it cannot be said.
     *
     * @return shared
     */
    public CompletableFuture<Void> left() {
        return left;
    }

    /**
     * Completes when the connection is closed and drained; never exceptionally, see {@link #failure}.
     *
     * @return shared
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Whether the end has begun.
     *
     * @return true from the first failure or close on
     */
    public boolean isClosing() {
        return end.get() != null;
    }

    /**
     * Why it ended.
     *
     * @return null while open and after an orderly close
     */
    public @Nullable Throwable failure() {
        End now = end.get();
        return now == null ? null : now.cause();
    }

    /**
     * Whether an error comes from the end of this connection, so that another connection may do better.
     *
     * @param error what somebody who used it got
     * @return true if it was lost, or the error says that it is closed
     */
    public boolean hasEndedWith(Throwable error) {
        End now = end.get();
        return now != null && (now.cause() != null || error instanceof ConnectionClosedException);
    }

    /**
     * Closes in an orderly way. Operations that wait fail; those that were posted complete, and the farewell behind
     * them tells the peer that this was all. If messages were given up, because they waited or the peer has not
     * fetched them, or a {@link MessageStream} is not at its end, the farewell says that instead, and the peer's end is
     * not an orderly one. Any thread, does not
     * wait; takes at most twice the drain time-out, see {@link #closed}.
     */
    public void close() {
        // Now: the close itself ends the streams that it cuts.
        end(new End("connection is closed", null, openStreams.get() > 0 ? Frame.ABORT : Frame.BYE));
    }

    /**
     * Gives the connection up for a reason of this side: as {@link #close}, but the farewell says that what the peer
     * got is not whole.
     *
     * @param cause that everybody on this side sees
     */
    public void abort(Throwable cause) {
        end(new End("connection is given up: " + cause, cause, Frame.ABORT));
    }

    /** Ends it before anybody was told that it is there: nothing is said to the peer. */
    public void discard() {
        end(new End("connection was not established", null));
    }

    /** The last frame of the peer arrived. Loop thread. */
    void peerSaidFarewell(boolean orderly) {
        peerEnded = true;
        end(
                orderly
                        ? new End("the peer closed the connection", null)
                        : new End(
                                "connection is lost: the peer gave it up",
                                new RdmaException("the peer gave the connection up before all was said:"
                                        + " its handler failed, or it closed with messages unsent; its log says why")));
    }

    /**
     * Ends because the peer's end was noticed beside the stream of messages, in a way that is orderly: what arrived
     * can still be received. Where the peer says farewell in that stream, and has not, it is lost.
     */
    public void peerClosed() {
        peerEnded(!options.farewells());
    }

    /**
     * Ends because the connection manager says that the peer has gone. A kernel says it for a process that was killed,
     * too: so where the peer says no farewell, the options say what it means.
     */
    public void peerDisconnected() {
        peerEnded(!options.farewells() && options.orderlyDisconnect());
    }

    private void peerEnded(boolean orderly) {
        if (orderly) {
            loop.executeAfterPoll(() -> end(new End("the peer closed the connection", null)));
        } else {
            peerLost(new RdmaException("the peer ended without a farewell: its process may have been killed"));
        }
    }

    /**
     * Ends because the peer is gone. What the device has reported by now comes first, and what it reports of operations
     * in flight within a moment: a refused operation here is often why the peer went, and that news travels another way
     * than the refusal; so does its farewell.
     *
     * @param cause how it was noticed
     */
    public void peerLost(Throwable cause) {
        loop.executeAfterPoll(() -> {
            peerEnded = true;
            if (sends.inFlight() == 0 && !options.farewells()) {
                fail(cause);
            } else {
                onThreadAfter(REFUSAL_NANOS, () -> loop.executeAfterPoll(() -> fail(cause)));
            }
        });
    }

    private static void onThreadAfter(long nanos, Runnable task) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Thread::startVirtualThread)
                .execute(task);
    }

    /**
     * Ends because of a failure; the first one is the cause that everybody sees.
     *
     * @param cause what failed
     */
    public void fail(Throwable cause) {
        String message = cause instanceof RuntimeException ? cause.getMessage() : cause.toString();
        end(new End("connection is lost: " + message, cause));
    }

    /** Counts the streams of messages that have begun and have not ended. */
    AtomicInteger openStreams() {
        return openStreams;
    }

    /**
     * Memory for one message that the peer has announced; not closed with the connection: the message may outlive it.
     */
    MemoryRegion allocateMessage(long bytes) {
        if (end.get() != null) {
            throw closedException(false);
        }
        return domain.allocate(bytes, EnumSet.of(AccessFlag.LOCAL_WRITE));
    }

    SendQueue sends() {
        return sends;
    }

    /** A large message is here: the peer is told. Any thread. */
    void fetched() {
        credits.fetched();
        creditsChanged();
    }

    /**
     * A buffer for one outgoing message that is larger than those of the pool: registered for it, and freed with it.
     * Takes time: not on the loop.
     *
     * @param bytes length of the message
     * @return to be closed
     */
    public RegisteredBuffer allocateBuffer(int bytes) {
        MemoryRegion region = allocateMessage(Math.max(1, bytes));
        try {
            return RegisteredBuffer.of(region, 0, bytes);
        } finally {
            region.close(); // the buffer holds it
        }
    }

    /** Whether an event of the device is about this connection. */
    boolean isConcernedBy(AsyncEvent event) {
        return event.concerns(queuePair);
    }

    /** The queue pair takes no more receives; what it took is completed, though perhaps not polled yet. */
    void lastReceiveReached() {
        loop.executeAfterPoll(receives::lastReceiveReached);
    }

    /** See {@link SendQueue#creditsChanged}. */
    void creditsChanged() {
        sends.creditsChanged();
    }

    private void end(End reason) {
        if (end.compareAndSet(null, reason)) {
            receives.close();
            loop.execute(this::startDrain);
        }
    }

    /** The error of a failed completion; the first one ends the connection. Loop thread. */
    RuntimeException failureOf(int status, @Nullable WorkRequestOpcode opcode, int qpNumber, int vendorError) {
        if (status == WorkCompletionStatus.WR_FLUSH_ERR.code()) {
            loop.counters().flush();
            fail(new RdmaException("the queue pair went to ERR: the device or the peer ended it"));
            return closedException(true);
        }
        WorkCompletionException error =
                new WorkCompletionException(WorkCompletionStatus.of(status), opcode, qpNumber, vendorError);
        fail(error);
        return error;
    }

    ConnectionClosedException closedException(boolean posted) {
        End now = end.get();
        return now == null
                ? new ConnectionClosedException("connection is closed", null, posted)
                : new ConnectionClosedException(now.message(), now.cause(), posted);
    }

    private void startDrain() {
        int farewell = options.farewells() ? Objects.requireNonNull(end.get()).farewell() : Frame.DATA;
        leaveDeadline = System.nanoTime() + nanos(options.drainTimeout());
        attempt(() -> ending.complete(null));
        attempt(() -> sends.close(farewell));
        attempt(() -> sendBuffers.close(closedException(false)));
        if (farewell == Frame.DATA) {
            leave();
        }
        loop.drain(this);
    }

    /** Nothing more is said to the peer. Loop thread. */
    private void leave() {
        sends.endFarewell();
        attempt(() -> left.complete(null));
        attempt(queuePair::moveToError); // else destroying it ends its work as well
        receives.draining();
        drainDeadline = System.nanoTime() + nanos(options.drainTimeout());
    }

    private boolean isFarewellOver() {
        return peerEnded || loop.failure() != null || sends.hasSaidFarewell() || System.nanoTime() - leaveDeadline >= 0;
    }

    private void closeProbe() {
        if (probe != null) {
            probe.close();
        }
    }

    /** Before their queue pair: they hold it. */
    private void closeWindows() {
        windows.forEach(window -> attempt(window::close));
        windows.clear();
    }

    private void closeRegions() {
        List<MemoryRegion> left = List.copyOf(regions);
        regions.clear();
        left.forEach(region -> attempt(region::close));
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            loop.listenerThrew(e);
        }
    }

    /**
     * Finishes the close once nothing is in flight, or time is up. Loop thread.
     *
     * @return whether it is finished
     */
    boolean finishIfDrained() {
        if (closed.isDone()) { // an error came between this endpoint's end and that of another one
            return true;
        }
        if (!left.isDone()) {
            if (!isFarewellOver()) {
                return false;
            }
            leave();
        }
        if (!sends.isQuiet() || !receives.isQuiet() || sendBuffers.isGrowing()) {
            return false; // a thread is inside a post, or registers: queue pair and domain must not go away under it
        }
        // On a dead loop nothing is counted down: there, too, the end of the queue pair is the end of what it does.
        boolean drained = loop.failure() != null || sends.inFlight() == 0 && receives.isDrained();
        if (!drained && System.nanoTime() - drainDeadline < 0) {
            return false;
        }
        // Whatever one of them throws, the others come, and everybody who waits hears of the end.
        for (Runnable step : new Runnable[] {
            receives::detach,
            this::closeWindows,
            queuePair::close,
            completions::close,
            sends::destroyed,
            receives::destroyed,
            this::closeProbe,
            sendSlots::close,
            this::closeRegions
        }) {
            attempt(step);
        }
        loop.leave(this);
        record();
        closed.complete(null);
        return true;
    }

    private void record() {
        End reason = end.get();
        if (reason == null || !FlightRecorder.isInitialized()) {
            return;
        }
        ConnectionEvent event = new ConnectionEvent();
        if (event.shouldCommit()) {
            event.queuePair = queuePair.number();
            event.open = System.nanoTime() - opened;
            event.end = reason.message();
            event.lost = reason.cause() != null;
            event.commit();
        }
    }
}
