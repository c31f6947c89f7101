package io.rdma.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.buffer.RegistrationCache;
import io.rdma.environment.Environment;
import io.rdma.types.AccessFlag;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.RdmaException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
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

// States: OPEN -> LEAVING (sends the farewell, if there is one) -> CLOSING (queue pair in ERR, drains) -> CLOSED (queue
// pair destroyed).
// Close order: refuse submissions; fail waiting operations; send the farewell behind the posted requests (bounded in
// time); move the queue pair to ERR; count completions down (bounded in time); destroy the queue pair; fail the
// remaining operations; release slots and regions.
// LEAVING ends when the farewell has completed, when the peer has ended, when the loop or the queue pair cannot
// complete the farewell, or when the time is up.
// The end (first failure, or an orderly close) is decided once, by the thread that sets `end`.

/** A connection in the engine: a queue pair with its send queue, receive queue and buffers. Thread-safe. */
public final class RdmaEndpoint implements Submitter {
    /**
     * The reason why an endpoint ended. {@code cause} is null after an orderly close; {@code farewell} is the type of
     * the frame to be sent.
     */
    private record End(String message, @Nullable Throwable cause, int farewell) {
        /** Creates an end without a farewell: the peer knows of the end, or cannot be notified. */
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
    private final Environment environment;
    private final long opened;
    private final @Nullable Probe probe;
    private volatile boolean established;
    private boolean peerEnded; // (loop)
    private long leaveDeadline; // (loop) nanoTime
    private volatile long drainDeadline; // nanoTime

    /**
     * Takes over a queue pair in INIT and posts its receives. Must run within a
     * {@link RdmaResources#begin pending setup} if the resources may be closed meanwhile.
     *
     * @param completions reservation for all work requests of the queue pair; owned as the queue pair is
     * @param registrations cache of the queue pair's domain
     * @param queuePair in INIT; owned by the endpoint from now on, also if this throws
     * @param shared shared receives of the queue pair; null if it has its own
     * @param options as negotiated
     */
    public RdmaEndpoint(
            CompletionReservation completions,
            RegistrationCache registrations,
            QueuePair queuePair,
            @Nullable SharedReceives shared,
            EndpointOptions options) {
        this(completions, registrations, queuePair, shared, null, options);
    }

    /**
     * Takes over a queue pair, see the public constructor.
     *
     * @param datagrams reader of a datagram queue pair; null for a queue pair that is to be connected
     */
    RdmaEndpoint(
            CompletionReservation completions,
            RegistrationCache registrations,
            QueuePair queuePair,
            @Nullable SharedReceives shared,
            @Nullable DatagramReader datagrams,
            EndpointOptions options) {
        this.completions = completions;
        this.loop = completions.loop();
        this.environment = loop.environment();
        this.opened = environment.nanoTime();
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
     * Returns the loop that completes the operations of this endpoint.
     *
     * @return the loop
     */
    public CompletionLoop loop() {
        return loop;
    }

    /**
     * Returns the receive queue.
     *
     * @return the queue
     */
    public ReceiveQueue receives() {
        return receives;
    }

    /**
     * Returns the buffers for outgoing messages.
     *
     * @return the pool
     */
    public BufferPool sendBuffers() {
        return sendBuffers;
    }

    /**
     * Returns the negotiated options.
     *
     * @return the options
     */
    public EndpointOptions options() {
        return options;
    }

    /**
     * Returns the number of the queue pair.
     *
     * @return 24 bits
     */
    public int qpNumber() {
        return queuePair.number();
    }

    /**
     * Returns the number of work requests that are posted and not completed.
     *
     * @return 0 when idle
     */
    public long inFlight() {
        return sends.inFlight();
    }

    /**
     * Submits an operation. It is posted at once, or when there is room. It ends exactly once: with its value; with a
     * {@link WorkCompletionException} if it is the operation that failed; or with a {@link ConnectionClosedException}
     * if the connection ended before.
     *
     * @param operation new, or ended
     * @throws IllegalStateException if the operation is in flight, or if its buffer is closed or in conflicting use;
     *     nothing was submitted then
     * @throws IllegalArgumentException if a message is longer than the peer receives; nothing was submitted then
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
            throw new IllegalArgumentException("message of " + length + " bytes, the peer receives at most "
                    + options.maxMessageSize()
                    + ": send less, or configure the peer with larger receiveBuffers, or with a larger maxMessageSize"
                    + " and a maxRdAtomic above 0");
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
     * Allocates registered memory. It is closed with the connection at the latest.
     *
     * @param bytes at least 1
     * @param access access rights
     * @return the region, zeroed
     * @throws ConnectionClosedException if the connection is closed
     */
    public MemoryRegion allocate(long bytes, Set<AccessFlag> access) {
        if (end.get() != null) {
            throw closedException(false);
        }
        return ours(domain.allocate(bytes, access));
    }

    /**
     * Grants the peer access to a part of a region for some time, with a key of its own. The grant ends when the time
     * is over, when it is closed, or with the connection. A later request of the peer fails, and with it the
     * connection.
     *
     * @param memory region of this connection; local access is enough
     * @param offset first byte
     * @param length bytes
     * @param time until the key becomes invalid
     * @param access rights of the peer
     * @return the grant; its {@link MemoryRegion#remote} is to be sent to the peer
     * @throws ConnectionClosedException if the connection is closed
     * @throws IndexOutOfBoundsException if the part does not lie inside
     */
    public MemoryRegion grant(MemoryRegion memory, long offset, long length, Duration time, Set<AccessFlag> access) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("the time of a grant must be positive: " + time);
        }
        if (end.get() != null) {
            throw closedException(false);
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        MemoryRegion grant = ours(domain.grant(memory, offset, length, access, () -> {
            over.complete(null);
            regions.removeIf(MemoryRegion::isClosed);
        }));
        // On a thread of its own, because deregistering is slow.
        try {
            Environment.Timer timer = environment.startAfter(nanos(time), "rdma-grant", () -> attempt(grant::close));
            over.thenRun(timer::cancel);
            return grant;
        } catch (Throwable e) { // without its timer the grant would not end in time
            grant.close();
            throw e;
        }
    }

    /**
     * Gives the peer access to a part of a region through a memory window, without a new registration. The access is
     * valid on this connection only. It ends when the window is closed, when the peer sends with invalidate, or when
     * the connection ends. A later request of the peer fails, and with it the connection. Some devices, among them
     * {@code rdma_rxe}, check the range against the whole region only.
     *
     * <p><b>Completes</b> on the loop when the device has bound the window; exceptionally with
     * {@link io.rdma.types.WorkCompletionException}, and the connection is lost, if the region lacks the rights.
     * <b>Cancel</b> closes the window once it is bound. Makes a system call.
     *
     * @param memory region with {@link AccessFlag#MW_BIND}, and {@link AccessFlag#LOCAL_WRITE} if the peer may write
     * @param offset first byte
     * @param length bytes, at least 1
     * @param access rights of the peer
     * @return the window, to be closed; closed with the connection at the latest
     * @throws ConnectionClosedException if the connection is closed
     * @throws IndexOutOfBoundsException if the part does not lie inside
     * @throws io.rdma.types.VerbsException EOPNOTSUPP if the device has no windows of type 2; use {@link #grant} then
     */
    public CompletableFuture<BoundWindow> bind(MemoryRegion memory, long offset, long length, Set<AccessFlag> access) {
        MemoryWindowBinding binding = new MemoryWindowBinding(memory, offset, length, access);
        if (length == 0) {
            throw new IllegalArgumentException("a memory window must have at least 1 byte");
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

    /**
     * Begins to probe the peer when there is no traffic. Called when both sides are ready: the queue pair of a peer
     * that is not answers no probe, and the connection would be lost.
     */
    public void established() {
        established = true;
    }

    /** Returns the quiet time after which this endpoint probes its peer, in nanoseconds; 0 for never. */
    long probeNanos() {
        return nanos(options.probeInterval());
    }

    /** Probes the peer if there was no traffic for the interval. Loop thread. */
    void probeIfQuiet(long now) {
        Probe asking = probe;
        if (asking != null && established) {
            attempt(() -> asking.askIfQuiet(now));
        }
    }

    /** Returns the sum of retired sends and received messages, which changes with any traffic. Loop thread. */
    long happened() {
        return sends.retired() + credits.received();
    }

    private static long nanos(Duration time) {
        return time.compareTo(FOR_EVER) > 0 ? FOR_EVER.toNanos() : time.toNanos();
    }

    /**
     * Makes memory of the application usable as source or target, see {@link RegistrationCache#lease}. Must not be
     * called on the loop.
     *
     * @param memory native, not of a confined arena
     * @return the leased buffer, to be closed
     * @throws ConnectionClosedException if the connection is closed
     */
    public RegisteredBuffer register(MemorySegment memory) {
        if (end.get() != null) {
            throw closedException(false);
        }
        return registrations.lease(memory);
    }

    /**
     * Returns the cache of registrations of application memory.
     *
     * @return the cache, shared by all connections of the domain
     */
    public RegistrationCache registrations() {
        return registrations;
    }

    private MemoryRegion ours(MemoryRegion region) {
        regions.removeIf(MemoryRegion::isClosed);
        regions.add(region);
        if (end.get() != null) {
            region.close(); // a concurrent close may have missed it
        }
        return region;
    }

    /**
     * Returns a future that completes on the loop when the end begins, before the queue pair changes its state.
     *
     * @return the future, shared by all callers
     */
    public CompletableFuture<Void> ending() {
        return ending;
    }

    /**
     * Returns a future that completes on the loop when this side sends nothing more, before the queue pair changes its
     * state: the farewell was delivered, or there is none, or it cannot be sent.
     *
     * @return the future, shared by all callers
     */
    public CompletableFuture<Void> left() {
        return left;
    }

    /**
     * Returns a future that completes when the connection is closed and drained. It never completes exceptionally, see
     * {@link #failure}.
     *
     * @return the future, shared by all callers
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Returns whether the end has begun.
     *
     * @return true from the first failure or close on
     */
    public boolean isClosing() {
        return end.get() != null;
    }

    /**
     * Returns the cause of a lost connection.
     *
     * @return the cause; null while open and after an orderly close
     */
    public @Nullable Throwable failure() {
        End now = end.get();
        return now == null ? null : now.cause();
    }

    /**
     * Returns whether an error comes from the end of this connection, so that another connection may succeed.
     *
     * @param error error that a use of this connection ended with
     * @return true if the connection was lost, or the error says that it is closed
     */
    public boolean hasEndedWith(Throwable error) {
        End now = end.get();
        return now != null && (now.cause() != null || error instanceof ConnectionClosedException);
    }

    /**
     * Closes in an orderly way. Waiting operations fail; posted ones complete. The farewell (BYE) behind them confirms
     * to the peer that all messages were sent. If a {@link MessageStream} has not ended, or if messages were given up
     * because they waited or because the peer has not fetched them, the farewell is ABORT instead, and the end is not
     * orderly for the peer. Any thread; does not wait. The close takes at most twice the drain time-out, see
     * {@link #closed}.
     */
    public void close() {
        // Read now, because the close itself ends the streams that it cuts.
        end(new End("connection is closed", null, openStreams.get() > 0 ? Frame.ABORT : Frame.BYE));
    }

    /**
     * Gives the connection up for a reason of this side. Does the same as {@link #close}, but the farewell is ABORT,
     * which marks the messages that the peer received as incomplete.
     *
     * @param cause reported to all users on this side
     */
    public void abort(Throwable cause) {
        end(new End("connection is aborted: " + cause, cause, Frame.ABORT));
    }

    /** Ends a connection before it is handed to the application. Sends no farewell. */
    public void discard() {
        end(new End("connection was not established", null));
    }

    /** Ends the connection because the peer's farewell arrived. Loop thread. */
    void peerSaidFarewell(boolean orderly) {
        peerEnded = true;
        end(
                orderly
                        ? new End("the peer closed the connection", null)
                        : new End(
                                "connection is lost: the peer aborted it",
                                new RdmaException("the peer aborted the connection: its handler failed, or it closed"
                                        + " with messages unsent; its log says why")));
    }

    /**
     * Ends the connection because an orderly end of the peer was noticed outside the stream of messages. Messages that
     * arrived can still be received. With farewells, a peer that ended without sending one counts as lost.
     */
    public void peerClosed() {
        peerEnded(!options.farewells());
    }

    /**
     * Ends the connection because the connection manager reports a disconnect by the peer. The peer's kernel sends one
     * for a killed process, too. Without farewells the options therefore decide whether the end is orderly.
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
     * Ends the connection because the peer is gone. Completions that the device has reported by now are dispatched
     * first. With operations in flight or with farewells, the end waits a quarter of a second more: often the peer
     * ended because it refused an operation of this side. The news of its end takes another path than the refusal and
     * the farewell, and may overtake them.
     *
     * @param cause how the loss was noticed
     */
    public void peerLost(Throwable cause) {
        loop.executeAfterPoll(() -> {
            peerEnded = true;
            if (sends.inFlight() == 0 && !options.farewells()) {
                fail(cause);
            } else {
                environment.startAfter(REFUSAL_NANOS, "rdma-lost", () -> loop.executeAfterPoll(() -> fail(cause)));
            }
        });
    }

    /**
     * Ends the connection because of a failure. The first failure is the cause that all users see.
     *
     * @param cause the failure
     */
    public void fail(Throwable cause) {
        String message = cause instanceof RuntimeException ? cause.getMessage() : cause.toString();
        end(new End("connection is lost: " + message, cause));
    }

    /** Returns the count of message streams that have begun and have not ended. */
    AtomicInteger openStreams() {
        return openStreams;
    }

    /**
     * Allocates memory for one message, announced by the peer or outgoing. It is not closed with the connection,
     * because the message may outlive it.
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

    /** Counts a large message as fetched, and announces that to the peer. Any thread. */
    void fetched() {
        credits.fetched();
        creditsChanged();
    }

    /**
     * Allocates a buffer for one outgoing message that is larger than the buffers of the pool. Its memory is registered
     * for this message alone and freed with it. Slow; must not be called on the loop.
     *
     * @param bytes length of the message
     * @return the buffer, to be closed
     */
    public RegisteredBuffer allocateBuffer(int bytes) {
        MemoryRegion region = allocateMessage(Math.max(1, bytes));
        try {
            return RegisteredBuffer.of(region, 0, bytes);
        } finally {
            region.close(); // the buffer holds it
        }
    }

    /** Returns whether an event of the device concerns this connection. */
    boolean isConcernedBy(AsyncEvent event) {
        return event.concerns(queuePair);
    }

    /**
     * Handles the event that the queue pair takes no more receives from its shared queue. Those that it took are
     * completed, but perhaps not polled yet.
     */
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

    /** Returns the error for a failed completion. The first one ends the connection. Loop thread. */
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
        leaveDeadline = environment.nanoTime() + nanos(options.drainTimeout());
        attempt(() -> ending.complete(null));
        attempt(() -> sends.close(farewell));
        attempt(() -> sendBuffers.close(closedException(false)));
        if (farewell == Frame.DATA) {
            leave();
        }
        loop.drain(this);
    }

    /** Goes from LEAVING to CLOSING: sends nothing more, and moves the queue pair to ERR. Loop thread. */
    private void leave() {
        sends.endFarewell();
        attempt(() -> left.complete(null));
        attempt(queuePair::moveToError); // if this fails, destroying the queue pair ends its requests as well
        receives.draining();
        drainDeadline = environment.nanoTime() + nanos(options.drainTimeout());
    }

    private boolean isFarewellOver() {
        return peerEnded
                || loop.failure() != null
                || sends.hasSaidFarewell()
                || environment.nanoTime() - leaveDeadline >= 0;
    }

    private void closeProbe() {
        if (probe != null) {
            probe.close();
        }
    }

    /** Closes the windows. Runs before the queue pair is closed, which they hold. */
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
        if (closed.isDone()) { // another endpoint threw before the loop could remove this one
            return true;
        }
        if (!left.isDone()) {
            if (!isFarewellOver()) {
                return false;
            }
            leave();
        }
        if (!sends.isQuiet() || !receives.isQuiet() || sendBuffers.isGrowing()) {
            return false; // a thread is posting or registering, and still uses the queue pair or the domain
        }
        // A dead loop counts no completions down. There, destroying the queue pair ends its requests.
        boolean drained = loop.failure() != null || sends.inFlight() == 0 && receives.isDrained();
        if (!drained && environment.nanoTime() - drainDeadline < 0) {
            return false;
        }
        // Each step runs even if an earlier one threw, so that every waiting operation ends.
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
            event.open = environment.nanoTime() - opened;
            event.end = reason.message();
            event.lost = reason.cause() != null;
            event.commit();
        }
    }
}
