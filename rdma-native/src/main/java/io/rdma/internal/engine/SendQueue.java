package io.rdma.internal.engine;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.NoReadsException;
import io.rdma.internal.loop.BatchSender;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.InFlightTable;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.SendChain;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - Submitted operations go through the backlog. The thread that takes `wip` from 0 is the poster: it posts the
// operations of all threads, and it alone touches the fields marked (poster). The loop thread alone retires requests.
// - While the loop dispatches a batch, it is the poster of the queues that it touches. An operation that a listener
// submits then goes straight into the chain, which is posted when it is full or when the batch is dispatched. At any
// other time the chain is empty between two runs of the poster.
// - The device never holds more requests than the depth. A slot becomes free only when the completion of its request,
// or of a later one, was polled.
// - The last request of every posted chain is signaled, and every signalEvery-th request within it. So every posted
// request is covered by a completion, and a full queue always holds a signaled request.
// - A large message ends when the peer has fetched it. Its slot, which holds no operation, becomes free before that.
// - The last CONTROL_SENDS slots are reserved for control frames. The slot of a control frame holds no operation.
// - After the close only the farewell is posted: once, when a slot is free for it.
// - `submit` is larger than the 325 bytes of bytecode up to which HotSpot's compiler inlines a method that is called
// often. So it is compiled by itself, and the post of one operation is inlined into it. Inlined into a listener, which
// the poll calls, it would end beyond the 15 levels of calls that the compiler inlines. The stores of a work request
// would be calls then, in some runs of a program and not in others. CompiledSizeTest watches its size.

/** Send side of one queue pair. It orders, chains, signals and retires work requests. */
final class SendQueue implements InFlightTable.Owner, BatchSender {
    private static final int MAX_CHAIN = 64;

    private final Endpoint endpoint;
    private final CompletionLoop loop;
    private final QueuePair queuePair;
    private final InFlightTable table;
    private final int signalEvery;
    private final int maxReads;
    private final InFlightTable.Slots slots;
    private final int room;
    private final Credits credits;
    private final ReceiveQueue receives;
    private final SendChain chain;
    private final RequestEncoder encoder;
    private final Backlog backlog;
    private final SharedSends shared;
    private final AtomicInteger wip = new AtomicInteger();
    private final PostedRing ring;
    private final Queue<Operation> announced = new ConcurrentLinkedQueue<>(); // (poster) adds, (loop) takes
    private int fetched; // (loop)
    private int unsignaled; // (poster)
    private int signaledInChain; // (poster)
    private boolean interrupted; // (loop) a completion is lost: nothing behind it shows that a request succeeded
    private boolean postDue; // (loop)
    private boolean held; // (loop) the loop is the poster until the batch is dispatched
    private final Farewell farewell = new Farewell();
    private volatile boolean closed;

    SendQueue(
            Endpoint endpoint,
            QueuePair queuePair,
            InFlightTable table,
            MemoryRegion slotMemory,
            ReceiveQueue receives,
            Credits credits,
            EndpointOptions options) {
        this.endpoint = endpoint;
        this.loop = endpoint.loop();
        this.queuePair = queuePair;
        this.table = table;
        this.receives = receives;
        this.credits = credits;
        this.room = options.capacity().maxSendWr();
        int depth = depth(options);
        this.signalEvery = Math.min(options.signalEvery(), Math.max(1, depth / 2));
        this.maxReads = options.maxRdAtomic();
        this.chain = new SendChain(Math.min(depth, MAX_CHAIN), 1 + options.maxGathered());
        int maxInline = Math.min(
                options.capacity().maxInlineData(), queuePair.capacity().maxInlineData());
        this.backlog = new Backlog(credits, loop.counters());
        this.shared = new SharedSends(backlog, endpoint.sendBuffers(), options.batchBytes(), this::endMember);
        this.ring = new PostedRing(depth);
        PostedRing reads = options.abilities().ordersReads() ? null : ring;
        this.encoder = new RequestEncoder(chain, slotMemory, credits, endpoint.numbers(), maxInline, reads);
        this.slots = table.add(depth, this);
    }

    /** Returns the number of send slots that a connection needs. */
    static int depth(EndpointOptions options) {
        return options.capacity().maxSendWr() + (options.credits() ? Credits.CONTROL_SENDS : 0);
    }

    /**
     * Takes an operation whose length is fixed. If this returns, the operation ends exactly once, now or later, unless
     * it was abandoned before.
     *
     * @param borrowed whether its buffer is borrowed already, on a stack with room for that; else this tests the
     *     stack and borrows it
     * @throws NoReadsException if it is a read or an atomic and the peer offers none; nothing was taken then
     * @throws IllegalStateException if the buffer is closed or in conflicting use; nothing was taken then
     * @throws StackOverflowError if the caller's stack is nearly full; nothing was taken then
     */
    void submit(Operation operation, boolean borrowed) {
        if (maxReads == 0 && operation.isRead()) {
            throw new NoReadsException(operation.request().opcode(), endpoint.numbers() == null);
        }
        boolean closing = endpoint.isClosing(); // the loop may not know yet, but what follows a close must not be sent
        boolean later = !closing && loop.postAfterDispatch(this);
        boolean atOnce = false;
        // The first message of a dispatch goes into the chain; others that may share a SEND wait for its end.
        if (later
                && held
                && !closed
                && (chain.size() == 0 || !shared.mayShare(operation))
                && (!operation.isRead() || mayRead())
                && backlog.mayPass(operation)) {
            if (chain.isFull()) {
                try {
                    postChain();
                } catch (Throwable t) {
                    broken(t);
                }
            }
            atOnce = !closed && ring.inUse() < room;
        }
        if (!borrowed) {
            // The caller has tested for what goes into the chain. An abandoned operation gives its buffer back instead.
            if (!atOnce || operation.isAbandoned()) {
                StackRoom.require(StackRoom.SIGNAL);
            }
            if (!operation.borrow(atOnce ? loop : null)) {
                return;
            }
        }
        if (atOnce) {
            if (!operation.markPostedAtOnce()) {
                operation.releaseUnposted();
                return;
            }
            try {
                encode(operation, borrowed);
            } catch (Throwable t) {
                broken(t);
            }
            return;
        }
        if (closing) {
            endAtOnce(operation, 0, endpoint.closedException(false));
            return;
        }
        if (!operation.markQueued()) {
            operation.releaseUnposted();
            return;
        }
        try {
            backlog.add(operation);
        } catch (Throwable e) { // no memory
            if (operation.tryEndWaiting()) {
                end(operation, 0, new RdmaException("an operation could not be queued: " + e, e));
            }
            return;
        }
        if (!later && wip.getAndIncrement() == 0) {
            postHeld();
        }
    }

    /** Returns the number of work requests that are posted and not retired. */
    long inFlight() {
        return ring.inFlight();
    }

    /** Returns the number of work requests that were retired so far. */
    long retired() {
        return ring.retired();
    }

    /** Posts waiting operations now, or, while the loop dispatches a batch, at the end of the batch. */
    private void postSoon() {
        if (!loop.postAfterDispatch(this)) {
            postWaiting();
        }
    }

    /** Returns whether {@link #dispatched} will be called. Loop. */
    @Override
    public boolean isPostDue() {
        return postDue;
    }

    /** Makes the loop the poster, if there is none, until it calls {@link #dispatched}. Loop, dispatching a batch. */
    @Override
    public void dispatching() {
        postDue = true;
        held = wip.compareAndSet(0, 1);
    }

    /** Posts the operations that listeners submitted, and those that have room now. Loop, at the end of a batch. */
    @Override
    public void dispatched() {
        postDue = false;
        if (held) {
            held = false;
            postHeld();
        } else {
            postWaiting();
        }
    }

    /** Posts the waiting operations that have room and credits; fails them after the close. Any thread. */
    void postWaiting() {
        if (wip.getAndIncrement() == 0) {
            postHeld();
        }
    }

    private void postHeld() {
        int missed = 1;
        do {
            try {
                boolean full = true; // else nothing is left that has room, or it came meanwhile and `wip` tells of it
                while (full && fillChain()) {
                    full = chain.isFull();
                    postChain();
                }
                if (closed) {
                    failWaiting();
                    sayFarewell();
                }
            } catch (Throwable t) { // perhaps not caused by this thread, which must give `wip` back
                endpoint.attempt(() -> broken(t));
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    /** Ends the connection after an exception interrupted the poster. Poster. */
    private void broken(Throwable cause) {
        closed = true;
        ring.posted(); // the device may have the requests of the chain
        chain.clear();
        signaledInChain = 0;
        endpoint.fail(cause);
    }

    private boolean fillChain() {
        if (closed) {
            return chain.size() > 0;
        }
        while (ring.inUse() < room && !chain.isFull()) {
            Operation next = backlog.next(mayRead());
            if (next == null) {
                break;
            }
            if (next.markPosted()) { // else it was cancelled
                RuntimeException refusal = next.refusal();
                SharedSend joined = shared.mayShare(next) ? shared.join(next) : null;
                if (refusal == null) {
                    encode(joined == null ? next : joined, true);
                } else {
                    next.refused();
                    endAtOnce(next, 0, refusal);
                }
            }
        }
        // Every message in the chain has announced the receives already.
        if (credits.isDue(receives.isEmpty()) && ring.inUse() < ring.depth() && !chain.isFull()) {
            int slot = ring.take();
            encoder.encodeCredit(slots.issue(slot), slot);
            unsignaled++; // the last request of a chain is signaled
            loop.counters().creditFrame();
        }
        return chain.size() > 0;
    }

    private boolean mayRead() {
        return ring.readsInFlight() < maxReads;
    }

    /** Posts messages that new credits allow, and announces receives of this side if due. Any thread. */
    void creditsChanged() {
        if (backlog.isBlocked() || credits.isDue(receives.isEmpty())) {
            postSoon();
        }
    }

    /**
     * Encodes an operation into the chain.
     *
     * @param waited whether its buffer was borrowed some time ago
     */
    private void encode(Operation operation, boolean waited) {
        int slot = ring.take();
        long wrId = slots.issue(slot);
        WorkRequest request = operation.request();
        RemoteMemory exposed = operation.exposed();
        boolean read = operation.isRead();
        if (exposed != null) { // the peer reads the message, and confirms that in a later frame
            try {
                announced.add(operation);
            } catch (Throwable e) { // no memory: the operation is in no queue, so it ends here
                operation.refused();
                endAtOnce(operation, 0, new RdmaException("a large message could not be queued: " + e, e));
                throw e;
            }
            encoder.encodeAnnouncement(wrId, slot, request, exposed);
        } else {
            ring.put(slot, operation, read);
            try {
                encoder.encode(wrId, slot, operation, waited);
            } catch (RuntimeException impossible) { // a window's region was closed: only this operation fails
                chain.removeLast();
                ring.untake(read);
                endAtOnce(operation, 0, impossible);
                return;
            }
        }
        if (++unsignaled >= signalEvery || read) {
            signal();
        }
    }

    /**
     * Ends the large messages that the peer has fetched. Loop.
     *
     * @param total large messages that the peer has fetched since the start; wraps around
     * @return false if the number is impossible
     */
    boolean fetched(int total) {
        while (fetched != total) {
            Operation operation = announced.poll();
            if (operation == null) {
                return false;
            }
            fetched++;
            endAtOnce(operation, 0, null);
        }
        return true;
    }

    private void signal() {
        chain.signaled();
        signaledInChain++;
        unsignaled = 0;
    }

    private void postChain() {
        if (unsignaled > 0) {
            signal();
        }
        int size = chain.size();
        ring.posted();
        loop.counters().posted(size, signaledInChain);
        int result = queuePair.post(chain);
        if (result != 0) {
            // An overflow in the middle would lose operations; the catch of one that is thrown here ends the
            // connection.
            StackRoom.require(StackRoom.SIGNAL);
            // The requests before the refused one are posted, perhaps all unsignaled. The others fail, and so does the
            // connection: room was counted and every limit checked before, so a refusal means a broken queue pair.
            closed = true; // nothing may overtake a refused request; waiting operations fail with the connection
            int done = queuePair.postedBeforeFailure(chain);
            takeBack(size - done, new VerbsException("ibv_post_send", -result, null));
        }
        chain.clear();
        signaledInChain = 0;
    }

    private void takeBack(int count, VerbsException error) {
        endpoint.fail(error);
        for (int i = 0; i < count; i++) {
            Operation operation = ring.takeBack();
            if (operation != null) {
                givenUp(operation);
                endAtOnce(operation, 0, error);
            }
        }
    }

    @Override
    public void completed(int slot, CompletionBatch batch, int index) {
        int status = batch.status(index);
        // A send queue completes in order, so every request before this slot succeeded, signaled or not.
        ring.endingUpTo(slot);
        while (ring.oldest() != slot) {
            retire(interrupted ? endpoint.closedException(true) : null);
        }
        if (status == 0) {
            retire(null);
        } else {
            Operation operation = ring.at(slot);
            WorkRequestOpcode opcode = operation == null
                    ? WorkRequestOpcode.SEND
                    : operation.request().opcode();
            retire(endpoint.failureOf(status, opcode, batch.qpNumber(index), batch.vendorError(index)));
        }
        postSoon();
    }

    @Override
    public int touch() {
        int sum = endpoint.options().maxRdAtomic() + (endpoint.isClosing() ? 1 : 0) + queuePair.number();
        return sum + ring.touch() + chain.size() + backlog.touch() + encoder.touch() + wip.getPlain();
    }

    @Override
    public void interrupted(RuntimeException cause) {
        interrupted = true;
        endpoint.fail(cause);
    }

    private void retire(@Nullable RuntimeException error) {
        int slot = ring.oldest();
        Operation operation = ring.at(slot);
        if (operation == null) {
            ring.retire();
            return;
        }
        boolean read = operation.isRead();
        long value = read ? encoder.result(slot, operation.request()) : operation.messages() - 1;
        ring.retire(read);
        if (error != null) {
            givenUp(operation);
        }
        end(operation, value, error);
    }

    /** Notes that the peer may not get a message, so that an end of this side that is orderly here does not look so. */
    private void givenUp(Operation operation) {
        if (operation.isMessage() && endpoint.numbers() != null) {
            farewell.abort();
        }
    }

    /** Ends an operation that is not in the backlog, and for which no completion is dispatched. */
    private void endAtOnce(Operation operation, long value, @Nullable RuntimeException error) {
        operation.ending();
        VarHandle.fullFence();
        end(operation, value, error);
    }

    /** Ends an operation, after its {@link Operation#ending} and a full fence. */
    private void end(Operation operation, long value, @Nullable RuntimeException error) {
        try {
            operation.ended(queuePair, error != null);
            if (error == null) {
                operation.complete(value);
            } else {
                operation.fail(error);
            }
        } catch (Throwable t) { // an error of a listener must not end the loop
            loop.listenerThrew(t);
        }
    }

    /** Ends an operation whose message shared a SEND with others. Each gets its own error about the connection. */
    private void endMember(Operation operation, @Nullable RuntimeException error) {
        end(operation, 0, error instanceof ConnectionClosedException ? endpoint.closedException(true) : error);
    }

    /** Refuses operations from now on. Loop, before {@link #close}. */
    void refuse() {
        closed = true;
    }

    /**
     * Fails the waiting operations, and sends a farewell behind the posted ones. Loop, after {@link #refuse}.
     *
     * @param last type of the farewell; {@link Frame#DATA} for none
     */
    void close(int last) {
        if (last != Frame.DATA) {
            farewell.due(last);
        }
        postWaiting();
    }

    /** Posts the farewell if it is due and a slot is free. Poster, after the close, with chain and backlog empty. */
    private void sayFarewell() {
        if (!farewell.isDue() || inFlight() == ring.depth()) {
            return; // the next completion tries again
        }
        if (!announced.isEmpty()) {
            farewell.abort(); // the peer has not fetched all large messages, and no longer can
        }
        if (farewell.send()) {
            int slot = ring.take();
            encoder.encodeControl(slots.issue(slot), slot, farewell.frame());
            unsignaled++;
            postChain();
        }
    }

    /** Returns whether every request and the farewell, if there is one, have completed. Loop, after the close. */
    boolean hasSaidAll() {
        return isQuiet() && inFlight() == 0; // a poster may have taken the right to the farewell, and no slot yet
    }

    /** Returns the last frame of this side. */
    Farewell farewell() {
        return farewell;
    }

    private void failWaiting() {
        Operation operation;
        while ((operation = backlog.any()) != null) {
            if (operation.tryEndWaiting()) { // else the cancelling thread gave the buffer back
                if (operation.isMessage()) {
                    farewell.abort(); // the peer does not get this message
                }
                end(operation, 0, endpoint.closedException(false));
            }
        }
    }

    /** Fails what an interrupted poster left. A thread that is the poster now does it in the caller's place. */
    private void failLeft() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            endpoint.attempt(this::failWaiting);
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    /** Returns whether no thread posts or ever will. A poster that starts later posts nothing. */
    boolean isQuiet() {
        return closed && !farewell.isDue() && wip.get() == 0;
    }

    /**
     * Fails the operations that never completed, and gives the slots back. Loop thread, after the queue pair is
     * destroyed.
     */
    void destroyed() {
        while (inFlight() > 0) {
            ring.endingUpTo(ring.oldest());
            retire(endpoint.closedException(true));
        }
        Operation unfetched;
        while ((unfetched = announced.poll()) != null) {
            endAtOnce(unfetched, 0, endpoint.closedException(true));
        }
        failLeft();
        table.remove(slots);
    }
}
