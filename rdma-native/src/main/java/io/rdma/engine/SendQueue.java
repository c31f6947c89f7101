package io.rdma.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.RemoteMemory;
import io.rdma.verbs.SendChain;
import io.rdma.verbs.VerbsException;
import io.rdma.verbs.WorkRequestOpcode;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Submitted operations go through `submitted`; the thread that takes `wip` from 0 drains for all, and is the only one
// to touch the fields
//   marked (drainer). The loop thread alone retires.
// - In the device: posted - retired, never above the depth. A slot is free again only when a completion at or behind it
// was polled.
// - The last request of every posted chain is signaled, and every signalEvery-th of it: so nothing posted waits for a
// signal that never comes,
//   and a full queue always holds a signaled request.
// - Reads and atomics beyond maxReads wait in `deferred`, in order, and let sends pass; with room they go first.
// - Messages for which the peer has no receive wait in `blocked`, in order, and let one-sided operations pass.
// - A large message ends when the peer has fetched it; its slot, which holds no operation, is free before.
// - The last CONTROL_SENDS slots are for control frames; a slot of one holds no operation.

/** The send side of one queue pair: orders, chains, signals and retires work requests. */
final class SendQueue implements InFlightTable.Owner {
    private static final int MAX_CHAIN = 64;
    private static final int UNBOUNDED_CHUNK = 128;
    /** Of each slot: where an atomic's result lands, the frame of a message, the announcement of a large one. */
    static final int SLOT_BYTES = 64;

    private static final int FRAME = Long.BYTES;
    private static final int ANNOUNCEMENT = FRAME + Frame.BYTES;

    private final RdmaEndpoint endpoint;
    private final QueuePair queuePair;
    private final InFlightTable table;
    private final int depth;
    private final int signalEvery;
    private final int maxReads;
    private final int maxInline;
    private final int base;
    private final int room;
    private final Credits credits;
    private final ReceiveQueue receives;
    private final MemoryRegion slotMemory;
    private final SendChain chain;
    private final Queue<Operation> submitted = new MpscUnboundedVarHandleArrayQueue<>(UNBOUNDED_CHUNK);
    private final AtomicInteger wip = new AtomicInteger();
    private final AtomicReferenceArray<@Nullable Operation> slots;
    private final ArrayDeque<Operation> deferred = new ArrayDeque<>(); // (drainer)
    private final ArrayDeque<Operation> blocked = new ArrayDeque<>(); // (drainer)
    private volatile int blockedCount; // (drainer) writes
    private final Queue<Operation> announced = new ConcurrentLinkedQueue<>(); // (drainer) adds, (loop) takes
    private int fetched; // (loop)
    private int postSlot; // (drainer)
    private int postedReads; // (drainer)
    private int unsignaled; // (drainer)
    private int signaledInChain; // (drainer)
    private volatile long posted;
    private int retireSlot; // (loop)
    private volatile long retired;
    private volatile int retiredReads;
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
        this.slotMemory = slotMemory;
        this.receives = receives;
        this.credits = credits;
        this.room = options.capacity().maxSendWr();
        this.depth = depth(options);
        this.signalEvery = Math.min(options.signalEvery(), Math.max(1, depth / 2));
        this.maxReads = options.maxRdAtomic();
        this.maxInline = Math.min(
                options.capacity().maxInlineData(), queuePair.capacity().maxInlineData());
        this.chain = new SendChain(Math.min(depth, MAX_CHAIN), 2);
        this.slots = new AtomicReferenceArray<>(depth);
        this.base = table.reserve(depth, this);
        if (base < 0) {
            throw new IllegalStateException(
                    "completion queue has no room for " + depth + " sends more: " + table.free() + " entries are left");
        }
    }

    /** Send slots that a connection needs. */
    static int depth(EndpointOptions options) {
        return options.capacity().maxSendWr() + (options.credits() ? Credits.CONTROL_SENDS : 0);
    }

    /** Takes an operation whose buffer is borrowed; it ends exactly once, now or later. */
    void submit(Operation operation) {
        submitted.add(operation);
        drain();
    }

    /** Work requests that the device has not completed yet. */
    long inFlight() {
        return posted - retired;
    }

    private void drain() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            if (closed) {
                failWaiting();
            } else {
                while (fillChain()) {
                    postChain();
                }
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private boolean fillChain() {
        chain.clear();
        signaledInChain = 0;
        while (chain.size() < room - inFlight() && !chain.isFull()) {
            Operation next = nextToPost();
            if (next == null) {
                break;
            }
            if (next.markPosted()) { // else it was cancelled
                RemoteMemory exposed = next.exposed();
                if (exposed == null) {
                    encode(next);
                } else {
                    encodeAnnouncement(next, exposed);
                }
            }
        }
        // A message that is in the chain has announced all there is.
        if (credits.isDue(receives.isEmpty()) && chain.size() < depth - inFlight() && !chain.isFull()) {
            encodeCredit();
        }
        return chain.size() > 0;
    }

    private @Nullable Operation nextToPost() {
        boolean readRoom = postedReads - retiredReads < maxReads;
        if (!blocked.isEmpty() && credits.mayMessage()) {
            return unblock();
        }
        if (readRoom && !deferred.isEmpty()) {
            return deferred.poll();
        }
        Operation next;
        while ((next = submitted.poll()) != null) {
            WorkRequestOpcode opcode = next.request().opcode();
            if (opcode.consumesReceive()) {
                if (blocked.isEmpty() && credits.mayMessage()) {
                    return next;
                }
                blocked.add(next);
                endpoint.loop().counters().creditWait();
                blockedCount = blocked.size();
            } else if (readRoom || !opcode.isReadOrAtomic()) {
                return next;
            } else {
                deferred.add(next);
            }
        }
        return null;
    }

    private @Nullable Operation unblock() {
        Operation next = blocked.poll();
        blockedCount = blocked.size();
        return next;
    }

    /** The peer announced receives, or ours should be announced. Any thread. */
    void creditsChanged() {
        if (blockedCount > 0 || credits.isDue(receives.isEmpty())) {
            drain();
        }
    }

    private int takeSlot() {
        int slot = postSlot;
        postSlot = slot + 1 == depth ? 0 : slot + 1;
        return slot;
    }

    private void encodeCredit() {
        int slot = takeSlot();
        chain.add(table.arm(base + slot), WorkRequestOpcode.SEND);
        credits.consumeControl();
        frame(slot, Frame.CREDIT);
        if (Frame.BYTES <= maxInline) {
            chain.inline();
        }
        unsignaled++; // it is the last of its chain, which is signaled
        endpoint.loop().counters().creditFrame();
    }

    /** A large message: the peer reads it, and says so in a later frame; until then it is in `announced`. */
    private void encodeAnnouncement(Operation operation, RemoteMemory exposed) {
        int slot = takeSlot();
        long at = (long) slot * SLOT_BYTES + ANNOUNCEMENT;
        WorkRequest request = operation.request();
        announced.add(operation);
        credits.consume();
        chain.add(table.arm(base + slot), request.opcode()).immediate(request.immediate());
        frame(slot, Frame.ANNOUNCEMENT);
        exposed.encode(slotMemory.segment().asSlice(at, RemoteMemory.ENCODED_BYTES));
        chain.entry(slotMemory.segment().address() + at, RemoteMemory.ENCODED_BYTES, slotMemory.lkey());
        if (++unsignaled >= signalEvery) {
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
            end(operation, 0, null);
        }
        return true;
    }

    private void frame(int slot, int type) {
        long at = (long) slot * SLOT_BYTES + FRAME;
        Frame.write(
                slotMemory.segment(),
                at,
                type,
                credits.announce(),
                credits.announceControl(),
                credits.announceFetched());
        chain.entry(slotMemory.segment().address() + at, Frame.BYTES, slotMemory.lkey());
    }

    private void encode(Operation operation) {
        WorkRequest request = operation.request();
        WorkRequestOpcode opcode = request.opcode();
        int slot = takeSlot();
        slots.setRelease(slot, operation);
        chain.add(table.arm(base + slot), opcode);
        RemoteMemory remote = request.remote();
        RegisteredBuffer buffer = request.buffer();
        if (buffer == null) { // an atomic: its result goes to the slot's own 8 bytes
            RemoteMemory target = java.util.Objects.requireNonNull(remote);
            chain.atomic(target.address(), target.rkey(), request.compareAdd(), request.swap());
            chain.entry(slotMemory.segment().address() + (long) slot * SLOT_BYTES, Long.BYTES, slotMemory.lkey());
        } else {
            if (remote != null) {
                chain.remote(remote.address(), remote.rkey());
            }
            chain.immediate(request.immediate());
            int length = operation.length();
            int total = length;
            if (credits.framed() && opcode.consumesReceive()) {
                credits.consume();
                if (remote == null) { // a write with immediate has no frame
                    frame(slot, Frame.DATA);
                    total += Frame.BYTES;
                }
            }
            if (length > 0) {
                chain.entry(buffer.address(), length, buffer.lkey());
            }
            if (total > 0 && total <= maxInline && !opcode.isReadOrAtomic()) {
                chain.inline();
            }
        }
        if (opcode.isReadOrAtomic()) {
            postedReads++;
        }
        if (++unsignaled >= signalEvery || opcode.isReadOrAtomic()) {
            signal();
        }
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
        posted += size; // before the post: a completion may be polled before post returns
        endpoint.loop().counters().posted(size, signaledInChain);
        int result = queuePair.post(chain);
        if (result != 0) {
            // Those before the bad one are posted, perhaps without a signal. The rest, and the connection, fail: room
            // is counted here and
            // every limit was checked before, so a refusal means that the queue pair is broken.
            int done = queuePair.postedBeforeFailure(chain);
            takeBack(size - done, new VerbsException("ibv_post_send", -result, null));
        }
    }

    private void takeBack(int count, VerbsException error) {
        for (int i = 0; i < count; i++) {
            postSlot = (postSlot == 0 ? depth : postSlot) - 1;
            Operation operation = slots.getAndSet(postSlot, null);
            posted--;
            if (operation != null) {
                if (operation.request().opcode().isReadOrAtomic()) {
                    postedReads--;
                }
                operation.fail(error);
            }
        }
        endpoint.fail(error);
    }

    @Override
    public void completed(int slot, CompletionBatch batch, int index) {
        int status = batch.status(index);
        int qpNumber = batch.qpNumber(index);
        int vendorError = batch.vendorError(index);
        // The queue completes in order: everything before this slot succeeded, signaled or not.
        while (retireSlot != slot) {
            retire(null);
        }
        if (status == 0) {
            retire(null);
        } else {
            Operation operation = slots.getAcquire(slot);
            WorkRequestOpcode opcode = operation == null
                    ? WorkRequestOpcode.SEND
                    : operation.request().opcode();
            retire(endpoint.failureOf(status, opcode, qpNumber, vendorError));
        }
        drain();
    }

    private void retire(@Nullable RuntimeException error) {
        int slot = retireSlot;
        retireSlot = slot + 1 == depth ? 0 : slot + 1;
        Operation operation = slots.getAndSet(slot, null);
        if (operation == null) {
            retired = retired + 1;
            return;
        }
        boolean read = operation.request().opcode().isReadOrAtomic();
        long value = operation.request().buffer() == null
                ? slotMemory.segment().get(ValueLayout.JAVA_LONG, (long) slot * SLOT_BYTES)
                : 0;
        if (read) {
            retiredReads = retiredReads + 1;
        }
        retired = retired + 1;
        end(operation, value, error);
    }

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

    /** Refuses what is submitted from now on, and fails what waits. */
    void close() {
        closed = true;
        drain();
    }

    private void failWaiting() {
        Operation operation;
        while ((operation = deferred.poll()) != null
                || (operation = unblock()) != null
                || (operation = submitted.poll()) != null) {
            end(operation, 0, endpoint.closedException(false));
        }
    }

    /** Whether no thread posts, or ever will: a drain that starts after the close posts nothing. */
    boolean isQuiet() {
        return closed && wip.get() == 0;
    }

    /** After the queue pair is destroyed: what never completed fails explicitly, and the slots are given back. Loop thread. */
    void destroyed() {
        while (inFlight() > 0) {
            retire(endpoint.closedException(true));
        }
        Operation unfetched;
        while ((unfetched = announced.poll()) != null) {
            end(unfetched, 0, endpoint.closedException(true));
        }
        table.release(base, depth);
    }
}
