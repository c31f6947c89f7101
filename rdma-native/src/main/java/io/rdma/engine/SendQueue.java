package io.rdma.engine;

import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.RemoteMemory;
import io.rdma.verbs.SendChain;
import io.rdma.verbs.VerbsException;
import io.rdma.verbs.WorkRequestOpcode;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - Submitted operations go through the backlog; the thread that takes `wip` from 0 drains for all, and is the only one
// to touch the fields marked (drainer). The loop thread alone retires.
// - While the loop dispatches a batch it holds the drain of the queues it touches: what listeners submit then goes
// straight into the chain, which is posted when it is full or the batch is dispatched. At any other time the chain is
// empty between two drains.
// - In the device: never more than the depth. A slot is free again only when a completion at or behind it was polled.
// - The last request of every posted chain is signaled, and every signalEvery-th of it: so nothing posted waits for a
// signal that never comes, and a full queue always holds a signaled request.
// - A large message ends when the peer has fetched it; its slot, which holds no operation, is free before.
// - The last CONTROL_SENDS slots are for control frames; a slot of one holds no operation.
// - After the close nothing is posted but the farewell, once, when a slot is free for it.

/** The send side of one queue pair: orders, chains, signals and retires work requests. */
final class SendQueue implements InFlightTable.Owner {
    private static final int MAX_CHAIN = 64;

    private final RdmaEndpoint endpoint;
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
    private final AtomicInteger wip = new AtomicInteger();
    private final PostedRing ring;
    private final Queue<Operation> announced = new ConcurrentLinkedQueue<>(); // (drainer) adds, (loop) takes
    private int fetched; // (loop)
    private int unsignaled; // (drainer)
    private int signaledInChain; // (drainer)
    private boolean drainDue; // (loop)
    private boolean held; // (loop) it is the drainer until the batch is dispatched
    private final Farewell farewell = new Farewell();
    private volatile boolean closed;

    SendQueue(
            RdmaEndpoint endpoint,
            QueuePair queuePair,
            InFlightTable table,
            MemoryRegion slotMemory,
            ReceiveQueue receives,
            Credits credits,
            EndpointOptions options) {
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.table = table;
        this.receives = receives;
        this.credits = credits;
        this.room = options.capacity().maxSendWr();
        int depth = depth(options);
        this.signalEvery = Math.min(options.signalEvery(), Math.max(1, depth / 2));
        this.maxReads = options.maxRdAtomic();
        this.chain = new SendChain(Math.min(depth, MAX_CHAIN), 2);
        int maxInline = Math.min(
                options.capacity().maxInlineData(), queuePair.capacity().maxInlineData());
        this.encoder = new RequestEncoder(chain, slotMemory, credits, maxInline);
        this.backlog = new Backlog(credits, endpoint.loop().counters());
        this.ring = new PostedRing(depth);
        this.slots = table.add(depth, this);
    }

    /** Send slots that a connection needs. */
    static int depth(EndpointOptions options) {
        return options.capacity().maxSendWr() + (options.credits() ? Credits.CONTROL_SENDS : 0);
    }

    /** Takes an operation whose buffer is borrowed; it ends exactly once, now or later. */
    void submit(Operation operation) {
        boolean later = endpoint.loop().drainAfterDispatch(this);
        if (later && held && postAtOnce(operation)) {
            return;
        }
        if (!operation.markQueued()) {
            operation.releaseUnposted();
            return;
        }
        backlog.add(operation);
        if (!later) {
            drain();
        }
    }

    /** Work requests that the device has not completed yet. */
    long inFlight() {
        return ring.inFlight();
    }

    /** Work requests that have completed so far. */
    long retired() {
        return ring.retired();
    }

    /** Posts what waits, unless that is done anyway when the loop has dispatched its batch. */
    private void drainSoon() {
        if (!endpoint.loop().drainAfterDispatch(this)) {
            drain();
        }
    }

    /** Whether {@link #dispatched} will be called. Loop. */
    boolean isDrainDue() {
        return drainDue;
    }

    /** The loop dispatches a batch, and will call {@link #dispatched}. Loop. */
    void dispatching() {
        drainDue = true;
        held = wip.compareAndSet(0, 1);
    }

    /** Posts what its listeners submitted, and what there is room for now. Loop. */
    void dispatched() {
        drainDue = false;
        if (held) {
            held = false;
            drainHeld();
        } else {
            drain();
        }
    }

    /** Posts what waits and has room and credits; fails it after the close. */
    void drain() {
        if (wip.getAndIncrement() == 0) {
            drainHeld();
        }
    }

    private void drainHeld() {
        int missed = 1;
        do {
            try {
                while (fillChain()) {
                    postChain();
                }
                if (closed) {
                    failWaiting();
                    sayFarewell();
                }
            } catch (Throwable t) { // the thread that drains need not have caused it, and must not keep the drain
                broken(t);
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    /** Ends the connection after a drain was left in the middle. Drainer. */
    private void broken(Throwable cause) {
        closed = true;
        ring.posted(); // the device may have what was in the chain
        chain.clear();
        signaledInChain = 0;
        endpoint.fail(cause);
    }

    private boolean fillChain() {
        if (closed) {
            return chain.size() > 0;
        }
        while (hasRoom()) {
            Operation next = backlog.next(mayRead());
            if (next == null) {
                break;
            }
            if (next.markPosted()) { // else it was cancelled
                encode(next);
            }
        }
        // A message that is in the chain has announced all there is.
        if (credits.isDue(receives.isEmpty()) && chain.size() < ring.depth() - inFlight() && !chain.isFull()) {
            int slot = ring.take();
            encoder.encodeCredit(slots.arm(slot), slot);
            unsignaled++; // it is the last of its chain, which is signaled
            endpoint.loop().counters().creditFrame();
        }
        return chain.size() > 0;
    }

    private boolean hasRoom() {
        return chain.size() < room - inFlight() && !chain.isFull();
    }

    private boolean mayRead() {
        return ring.readsInFlight() < maxReads;
    }

    /**
     * The way without a queue: from a listener into the chain. Loop, which holds the drain.
     *
     * @return false if it has to wait
     */
    private boolean postAtOnce(Operation operation) {
        if (closed || !backlog.mayPass(operation, mayRead())) {
            return false;
        }
        if (chain.isFull()) {
            try {
                postChain();
            } catch (Throwable t) {
                broken(t);
            }
        }
        if (closed || !hasRoom()) {
            return false;
        }
        if (!operation.markPostedAtOnce()) {
            operation.releaseUnposted();
            return true;
        }
        try {
            encode(operation);
        } catch (Throwable t) {
            broken(t);
        }
        return true;
    }

    /** The peer announced receives, or ours should be announced. Any thread. */
    void creditsChanged() {
        if (backlog.isBlocked() || credits.isDue(receives.isEmpty())) {
            drainSoon();
        }
    }

    private void encode(Operation operation) {
        int slot = ring.take();
        long wrId = slots.arm(slot);
        WorkRequest request = operation.request();
        RemoteMemory exposed = operation.exposed();
        boolean read = request.opcode().isReadOrAtomic();
        if (exposed != null) { // the peer reads it, and says so in a later frame
            announced.add(operation);
            encoder.encodeAnnouncement(wrId, slot, request, exposed);
        } else {
            ring.put(slot, operation, read);
            try {
                encoder.encode(wrId, slot, operation);
            } catch (RuntimeException impossible) { // a window's region was closed meanwhile: only this one fails
                chain.removeLast();
                ring.untake(read);
                endPosted(operation, 0, impossible);
                return;
            }
        }
        if (++unsignaled >= signalEvery || read) {
            signal();
        }
    }

    /**
     * The peer has fetched so many large messages. Loop.
     *
     * @return false if that cannot be true
     */
    boolean fetched(int total) {
        while (fetched != total) {
            Operation operation = announced.poll();
            if (operation == null) {
                return false;
            }
            fetched++;
            endPosted(operation, 0, null);
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
        endpoint.loop().counters().posted(size, signaledInChain);
        int result = queuePair.post(chain);
        if (result != 0) {
            // Those before the bad one are posted, perhaps without a signal. The rest, and the connection, fail: room
            // is counted here and every limit was checked before, so a refusal means that the queue pair is broken.
            closed = true; // nothing may overtake what was refused; what waits fails with the end of the connection
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
                endPosted(operation, 0, error);
            }
        }
    }

    @Override
    public void completed(int slot, CompletionBatch batch, int index) {
        int status = batch.status(index);
        int qpNumber = batch.qpNumber(index);
        int vendorError = batch.vendorError(index);
        // The queue completes in order: everything before this slot succeeded, signaled or not.
        ring.endingUpTo(slot);
        while (ring.oldest() != slot) {
            retire(null);
        }
        if (status == 0) {
            retire(null);
        } else {
            Operation operation = ring.at(slot);
            WorkRequestOpcode opcode = operation == null
                    ? WorkRequestOpcode.SEND
                    : operation.request().opcode();
            retire(endpoint.failureOf(status, opcode, qpNumber, vendorError));
        }
        drainSoon();
    }

    private void retire(@Nullable RuntimeException error) {
        int slot = ring.oldest();
        Operation operation = ring.at(slot);
        long value = operation != null && operation.request().isAtomic() ? encoder.result(slot) : 0;
        ring.retire(operation);
        if (operation != null) {
            end(operation, value, error);
        }
    }

    /** One that no completion of this queue pair ends. */
    private void endPosted(Operation operation, long value, @Nullable RuntimeException error) {
        operation.ending();
        VarHandle.fullFence();
        end(operation, value, error);
    }

    /** Behind its {@link Operation#ending} and a full fence. */
    private void end(Operation operation, long value, @Nullable RuntimeException error) {
        operation.ended(queuePair.number(), error != null);
        try {
            if (error == null) {
                operation.complete(value);
            } else {
                operation.fail(error);
            }
        } catch (Throwable t) { // a listener's mistake must not end the loop
            endpoint.loop().listenerThrew(t);
        }
    }

    /**
     * Refuses what is submitted from now on, fails what waits, and sends a last frame behind what was posted. Loop.
     *
     * @param last type of the frame; {@link Frame#DATA} for none
     */
    void close(int last) {
        if (last != Frame.DATA) {
            farewell.due(last);
        }
        closed = true;
        drain();
    }

    /** Drainer, closed, with an empty chain and nothing that waits. */
    private void sayFarewell() {
        if (!farewell.isDue() || inFlight() == ring.depth()) {
            return; // the next completion drains again
        }
        if (!announced.isEmpty()) {
            farewell.abort(); // large messages that the peer has not fetched, and cannot any more
        }
        if (farewell.send()) {
            int slot = ring.take();
            encoder.encodeControl(slots.arm(slot), slot, farewell.frame());
            unsignaled++;
            postChain();
        }
    }

    /** Whether the farewell, and all that was posted before it, has completed. Loop. */
    boolean hasSaidFarewell() {
        return farewell.isSent() && inFlight() == 0;
    }

    /** From here on the farewell is not posted, if it was not yet. Loop. */
    void endFarewell() {
        farewell.over();
    }

    private void failWaiting() {
        Operation operation;
        while ((operation = backlog.any()) != null) {
            if (operation.tryEndWaiting()) { // else the canceller gave the buffer back
                if (operation.request().opcode().consumesReceive()) {
                    farewell.abort(); // a message that the peer does not get
                }
                end(operation, 0, endpoint.closedException(false));
            }
        }
    }

    /** Whether no thread posts, or ever will: a drain that starts after the close posts nothing. */
    boolean isQuiet() {
        return closed && !farewell.isDue() && wip.get() == 0;
    }

    /**
     * After the queue pair is destroyed: what never completed fails explicitly, and the slots are given back. Loop
     * thread.
     */
    void destroyed() {
        while (inFlight() > 0) {
            ring.endingUpTo(ring.oldest());
            retire(endpoint.closedException(true));
        }
        Operation unfetched;
        while ((unfetched = announced.poll()) != null) {
            endPosted(unfetched, 0, endpoint.closedException(true));
        }
        table.remove(slots);
    }
}
