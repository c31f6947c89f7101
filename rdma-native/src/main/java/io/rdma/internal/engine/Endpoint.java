package io.rdma.internal.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.FlushMethod;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.NoReadsException;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.environment.Environment;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.internal.loop.LoopMember;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.RdmaException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairInfo;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A connection in the engine: a queue pair with its send queue, receive queue and buffers. Thread-safe. */
public final class Endpoint implements RdmaEndpoint, LoopMember, MessageSource, Submitter {
    private static final long REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration FOR_EVER = Duration.ofDays(365 * 100);

    private final CompletionReservation completions;
    private final CompletionLoop loop;
    private final RegistrationCache registrations;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final EndpointOptions options;
    private final EndpointMemory memory;
    private final MemoryRegion sendSlots;
    private final Credits credits;
    private final @Nullable MessageNumbers numbers; // null on a reliable connection
    private final SendQueue sends;
    private final LargeSends largeSends;
    private final ReceiveQueue receives;
    private final BufferPool sendBuffers;
    private final EndpointClose close;
    private final OpenStreams openStreams = new OpenStreams(this::isClosing);
    private final Environment environment;
    private final @Nullable Probe probe;
    private final EndpointMigration migration;
    private volatile boolean established;

    /**
     * Takes over a queue pair in INIT, to be {@link #start started} at once. Must run within a
     * {@link DeviceResources#begin pending setup} if the resources may be closed meanwhile.
     *
     * @param completions reservation for all work requests of the queue pair; owned as the queue pair is
     * @param registrations cache of the queue pair's domain
     * @param queuePair in INIT; owned by the endpoint from now on, but not if this throws: a connection manager may
     *     hold it until its caller has closed the identifier
     * @param shared shared receives of the queue pair; null if it has its own
     * @param options as negotiated
     */
    public Endpoint(
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
    Endpoint(
            CompletionReservation completions,
            RegistrationCache registrations,
            QueuePair queuePair,
            @Nullable SharedReceives shared,
            @Nullable DatagramReader datagrams,
            EndpointOptions options) {
        this.completions = completions;
        this.loop = completions.loop();
        this.environment = loop.environment();
        this.registrations = registrations;
        this.domain = registrations.domain();
        this.memory = new EndpointMemory(this, registrations);
        this.queuePair = queuePair;
        this.options = options;
        this.close = new EndpointClose(this, queuePair);
        numbers = options.abilities().numbersMessages() ? new MessageNumbers(loop.counters()) : null;
        credits = new Credits(
                options.credits(),
                options.firstReceiveBuffers(),
                options.receiveBuffers(),
                options.peerFirstReceiveBuffers(),
                options.peerReceiveBuffers(),
                options.farewells(),
                options.start());
        try (CleanupStack cleanup = new CleanupStack()) {
            loop.requireLive();
            sendSlots = cleanup.add(domain.allocate(
                    (long) SendQueue.depth(options) * RequestEncoder.SLOT_BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE)));
            sendBuffers = cleanup.add(new BufferPool(
                    domain, options.firstSendBuffers(), options.sendBuffers(), options.sendBufferSize()));
            receives = new ReceiveQueue(this, queuePair, domain, shared, datagrams, credits, options);
            cleanup.add(receives::destroyed);
            sends = new SendQueue(this, queuePair, loop.table(), sendSlots, receives, credits, options);
            migration = new EndpointMigration(this, queuePair, sendSlots);
            largeSends = new LargeSends(this, domain, sends);
            probe = probeNanos() == 0 ? null : new Probe(this, sendSlots, probeNanos());
            cleanup.keep();
        }
    }

    /** Joins the loop and posts the receives. If this throws, the endpoint ends as any other. */
    public void start() {
        try {
            loop.join(this);
            receives.postAll();
        } catch (Throwable e) {
            fail(e); // the loop has it: it ends as any other, and nothing of it stays
            throw e;
        }
    }

    /** Returns the engine's view of an endpoint. */
    public static Endpoint of(RdmaEndpoint endpoint) {
        return (Endpoint) endpoint;
    }

    /** Returns the endpoints whose operations complete on a loop. */
    static Stream<Endpoint> on(CompletionLoop loop) {
        return loop.members().stream().filter(Endpoint.class::isInstance).map(Endpoint.class::cast);
    }

    @Override
    public CompletionLoop loop() {
        return loop;
    }

    /**
     * Returns the memory that belongs to this connection.
     *
     * @return its regions, grants and windows
     */
    public EndpointMemory memory() {
        return memory;
    }

    @Override
    public ReceiveQueue receives() {
        return receives;
    }

    @Override
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

    @Override
    public int qpNumber() {
        return queuePair.number();
    }

    @Override
    public QueuePairInfo query() {
        return queuePair.query();
    }

    /**
     * Returns the path migration of this connection.
     *
     * @return the same object always
     */
    public EndpointMigration migration() {
        return migration;
    }

    @Override
    public int migrations() {
        return migration.count();
    }

    @Override
    public long lostMessages() {
        return numbers == null ? 0 : numbers.lost();
    }

    /** Returns the numbers of the messages; null on a reliable connection. */
    @Nullable
    MessageNumbers numbers() {
        return numbers;
    }

    @Override
    public int outstandingReceives() {
        return receives.outstanding();
    }

    @Override
    public int receiveBuffers() {
        return options.receiveBuffers();
    }

    @Override
    public LoopCounters counters() {
        return loop.counters();
    }

    @Override
    public long inFlight() {
        return sends.inFlight();
    }

    /**
     * Submits an operation. It is posted at once, or when there is room. It ends exactly once: with its value; with a
     * {@link WorkCompletionException} if it is the operation that failed, or shared a SEND that failed; with a
     * {@link ConnectionClosedException} if the connection ended before; or, if it is a large message whose memory
     * cannot be registered, with the reason: a {@link io.rdma.types.RegistrationLimitException}, or a
     * {@link io.rdma.types.VerbsException} of the device.
     *
     * @param operation new, or ended
     * @throws IllegalStateException if the operation is in flight, or if its buffer is closed or in conflicting use;
     *     nothing was submitted then
     * @throws IllegalArgumentException if a message is longer than the peer receives; nothing was submitted then
     * @throws NoReadsException if it is a read or an atomic and the peer offers none; nothing was submitted then
     * @throws UnsupportedRequestException if the device lacks such requests; nothing was submitted then
     * @throws StackOverflowError if the caller's stack is nearly full; nothing was submitted then
     */
    @Override
    public void submit(Operation operation) {
        StackRoom.requireForPost();
        options.abilities().require(operation.request());
        int length = operation.fixLength();
        boolean send = operation.isMessage() && operation.request().remote() == null;
        if (send && length > options.maxMessageSize()) {
            throw XrcRequest.tooLong(options, operation.request(), length);
        }
        if (send && length > options.peerReceiveBufferSize()) {
            largeSends.submit(operation);
        } else {
            sends.submit(operation, false);
        }
    }

    /**
     * Makes something in the protection domain. The end of the connection may close the domain, and the regions in it,
     * meanwhile.
     *
     * @throws ConnectionClosedException in place of an {@link IllegalStateException} that such an end explains
     */
    <T extends @Nullable Object> T inDomain(Supplier<T> making) {
        try {
            return making.get();
        } catch (IllegalStateException e) {
            if (!isClosing()) {
                throw e;
            }
            ConnectionClosedException ended = closedException(false);
            CloseSteps.suppress(ended, e);
            throw ended;
        }
    }

    /**
     * Begins to probe the peer when there is no traffic, and sends the first frame if this side does so. Called when
     * both sides are ready: the queue pair of a peer that is not answers no probe, and the connection would be lost.
     */
    public void established() {
        established = true;
        creditsChanged();
    }

    /** Returns the quiet time after which this endpoint probes its peer, in nanoseconds; 0 for never. */
    @Override
    public long probeNanos() {
        return nanos(options.probeInterval());
    }

    /** Probes the peer if there was no traffic for the interval. Loop thread. */
    @Override
    public void probeIfQuiet(long now) {
        Probe asking = probe;
        if (asking != null && established) {
            try {
                asking.askIfQuiet(now);
            } catch (Throwable e) { // unprobed, a peer that is gone would never be noticed
                fail(e);
            }
        }
    }

    /** Returns the sum of retired sends and received messages, which changes with any traffic. Loop thread. */
    long happened() {
        return sends.retired() + credits.received();
    }

    /** Returns a time in nanoseconds; a longer one than a century counts as a century. */
    static long nanos(Duration time) {
        return time.compareTo(FOR_EVER) > 0 ? FOR_EVER.toNanos() : time.toNanos();
    }

    @Override
    public RegistrationCache registrations() {
        return registrations;
    }

    /**
     * Returns a future that completes on the loop when the end begins, before the queue pair changes its state.
     *
     * @return the future, shared by all callers
     */
    public CompletableFuture<Void> ending() {
        return close.ending();
    }

    /**
     * Returns a future that completes on the loop when this side sends nothing more, before the queue pair changes its
     * state: the farewell was delivered, or there is none, or it cannot be sent.
     *
     * @return the future, shared by all callers
     */
    public CompletableFuture<Void> left() {
        return close.left();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return close.closed();
    }

    @Override
    public FlushMethod flushMethod(PlacementType type) {
        return options.abilities().flushMethod(type, options.maxRdAtomic() > 0);
    }

    @Override
    public boolean hasAtomicWrites() {
        return options.abilities().placement().atomicWrites();
    }

    @Override
    public boolean isClosing() {
        return close.isBegun();
    }

    @Override
    public @Nullable Throwable failure() {
        return close.cause();
    }

    /**
     * Returns whether an error comes from the end of this connection, so that another connection may succeed.
     *
     * @param error error that a use of this connection ended with
     * @return true if the connection was lost, or the error says that it is closed
     */
    public boolean hasEndedWith(Throwable error) {
        return close.isBegun() && (close.cause() != null || error instanceof ConnectionClosedException);
    }

    /**
     * Closes in an orderly way. Waiting operations fail; posted ones complete. The farewell (BYE) behind them confirms
     * to the peer that all messages were sent. If a {@link MessageStream} has not ended, or if messages were given up
     * because they waited or because the peer has not fetched them, the farewell is ABORT instead, and the end is not
     * orderly for the peer. Any thread; does not wait. The close takes at most twice the drain time-out, and besides
     * the rest of a registration of memory that is under way, see {@link #closed}.
     */
    @Override
    public void close() {
        if (handsOver(this::close)) {
            return;
        }
        close.begin("connection is closed", null, Frame.BYE);
    }

    /**
     * Gives the connection up for a reason of this side. Does the same as {@link #close}, but the farewell is ABORT,
     * which marks the messages that the peer received as incomplete.
     *
     * @param cause reported to all users on this side
     */
    public void abort(Throwable cause) {
        if (handsOver(() -> abort(cause))) {
            return;
        }
        close.begin("connection is aborted: " + cause, cause, Frame.ABORT);
    }

    /** Ends a connection that no application gets. Sends no farewell. Messages that have arrived are dropped. */
    public void discard() {
        close.begin("connection was not established", null);
        dropUnclaimed();
    }

    /**
     * Drops the messages that arrive before the end of a connection that no application got, which would hold their
     * memory. Does nothing if the receive queue has a listener: then its consumer drops them.
     */
    public void dropUnclaimed() {
        close.closed().thenRun(receives::discardUnclaimed);
    }

    /** Ends the connection because the peer's farewell arrived. Loop thread. */
    void peerSaidFarewell(boolean orderly) {
        close.peerEnded();
        if (orderly) {
            close.begin("the peer closed the connection", null);
        } else {
            close.begin(
                    "connection is lost: the peer aborted it",
                    new RdmaException("the peer aborted the connection: its handler failed, or it closed with messages"
                            + " unsent; its log says why"));
        }
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
            loop.executeAfterPoll(() -> close.begin("the peer closed the connection", null));
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
            close.peerEnded();
            if (sends.inFlight() == 0 && !options.farewells()) {
                fail(cause);
            } else {
                failSoon(cause);
            }
        });
    }

    private void failSoon(Throwable cause) {
        try {
            environment.startAfter(REFUSAL_NANOS, "rdma-lost", () -> loop.executeAfterPoll(() -> fail(cause)));
        } catch (Throwable e) { // no timer, or no memory for one
            fail(cause);
        }
    }

    /**
     * Ends the connection because of a failure. The first failure is the cause that all users see.
     *
     * @param cause the failure
     */
    @Override
    public void fail(Throwable cause) {
        String message = cause instanceof RuntimeException ? cause.getMessage() : cause.toString();
        close.begin("connection is lost: " + message, cause);
    }

    /**
     * Returns the error of a byte stream whose messages have ended without its end. An orderly close of the peer is an
     * end as well, unless there are no farewells: such a close does not tell that the stream is whole.
     *
     * @return null if the peer has said BYE
     */
    public @Nullable ConnectionClosedException withoutEnd() {
        return close.isClosedHere() || failure() != null || !options.farewells() ? closedException(false) : null;
    }

    /**
     * Returns whether the end of an unreliable connection gave messages up, so that it is not orderly for the peer. A
     * reliable connection tells that by its farewell, or not at all if it has none.
     *
     * @return final once {@link #left} has completed
     */
    public boolean gaveMessagesUp() {
        return numbers != null && sends.farewell().isAbort();
    }

    /** Returns the count of message streams that have begun and have not ended. */
    OpenStreams openStreams() {
        return openStreams;
    }

    SendQueue sends() {
        return sends;
    }

    /** Counts a large message as fetched, and announces that to the peer. Any thread. */
    void fetched() {
        credits.fetched();
        creditsChanged();
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

    /** Returns the error for a failed completion. The first one ends the connection. Loop thread. */
    RuntimeException failureOf(int status, @Nullable WorkRequestOpcode opcode, int qpNumber, int vendorError) {
        WorkCompletionException error = failed(status, opcode, qpNumber, vendorError);
        return error == null ? closedException(true) : error;
    }

    /**
     * Ends the connection because a work request failed. A close flushes all posted receives, so their exceptions are
     * not made.
     *
     * @return null if the work request was flushed, so that another one is at fault
     */
    @Nullable
    WorkCompletionException failed(int status, @Nullable WorkRequestOpcode opcode, int qpNumber, int vendorError) {
        if (status == WorkCompletionStatus.WR_FLUSH_ERR.code()) {
            loop.counters().flush();
            if (!close.ending().isDone()) {
                fail(new RdmaException("the queue pair went to ERR: the device or the peer ended it"));
            }
            return null;
        }
        WorkCompletionException error =
                new WorkCompletionException(WorkCompletionStatus.of(status), opcode, qpNumber, vendorError);
        fail(error);
        return error;
    }

    /** Returns the error for an operation that the end of the connection ended. */
    ConnectionClosedException closedException(boolean posted) {
        return close.exception(posted);
    }

    /** Returns whether a thread posts or registers memory, and so uses the queue pair or the domain. Loop. */
    boolean isInUse() {
        return !sends.isQuiet() || !receives.isQuiet() || sendBuffers.isGrowing() || largeSends.isRegistering();
    }

    /** Returns the steps that free what the endpoint has, in their order. Each runs even if one before it threw. */
    List<Runnable> release() {
        return List.of(
                receives::detach,
                memory::closeWindows,
                queuePair::close,
                completions::close,
                sends::destroyed,
                receives::destroyed,
                this::closeProbe,
                sendSlots::close,
                memory::closeRegions);
    }

    private void closeProbe() {
        if (probe != null) {
            probe.close();
        }
    }

    @Override
    public boolean finishIfDrained() {
        return close.finishIfDrained();
    }
}
