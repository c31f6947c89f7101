package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.SendChain;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants
// - Each slot of the send queue has SLOT_BYTES of registered memory of its own: for the result of an atomic,
// the frame of a message and the announcement of a large message. It is used only while a request of that slot is in
// the device.
// - If the device does not order completions behind reads, each request behind a read in flight has a fence. So a
// completion covers every request before it on each device.

/** Encoder of operations into a chain of {@code ibv_send_wr}. Used by the poster of the send queue. */
final class RequestEncoder {
    /** Bytes of registered memory of each slot. */
    static final int SLOT_BYTES = 64;

    private static final int FRAME = Long.BYTES;
    private static final int ANNOUNCEMENT = FRAME + Frame.BYTES;

    private final SendChain chain;
    private final MemoryRegion slotMemory;
    private final Credits credits;
    private final @Nullable MessageNumbers numbers;
    private final int maxInline;
    private final @Nullable PostedRing unordered;

    /**
     * Creates an encoder.
     *
     * @param numbers of messages without frames on an unreliable connection; else null
     * @param unordered requests of the send queue if they need fences, see {@link Abilities#ordersReads}; else null
     */
    RequestEncoder(
            SendChain chain,
            MemoryRegion slotMemory,
            Credits credits,
            @Nullable MessageNumbers numbers,
            int maxInline,
            @Nullable PostedRing unordered) {
        this.numbers = numbers;
        this.unordered = unordered;
        this.chain = chain;
        this.slotMemory = slotMemory;
        this.credits = credits;
        this.maxInline = maxInline;
    }

    /** Reads what an encoding needs, see {@link io.rdma.internal.loop.InFlightTable.Owner#touch}. Poster. */
    int touch() {
        return credits.framed() ? maxInline : 0;
    }

    /**
     * Encodes an operation.
     *
     * @param waited whether its buffer was borrowed some time ago
     */
    void encode(long wrId, int slot, Operation operation, boolean waited) {
        WorkRequest request = operation.request();
        WorkRequestOpcode opcode = request.opcode();
        begin(
                wrId,
                numbers != null && opcode == WorkRequestOpcode.SEND ? WorkRequestOpcode.SEND_WITH_IMM : opcode,
                operation.isRead());
        RegisteredBuffer buffer = request.buffer();
        if (buffer == null) {
            encodeWithoutBuffer(slot, operation, waited);
            return;
        }
        if (waited) {
            buffer.requireMemory(); // it may have been closed meanwhile
        }
        RemoteMemory remote = request.remote();
        if (remote != null) {
            chain.remote(remote.address(), remote.rkey());
        }
        if (request.hasOperands()) {
            encodeOperands(operation);
        }
        int length = operation.length();
        int framed = useCredit(slot, operation);
        if (length > 0) {
            chain.entry(buffer.address(), length, buffer.lkey());
        }
        if (!operation.isRead()) {
            inlineIfSmall(framed + length);
        }
    }

    private void begin(long wrId, WorkRequestOpcode opcode, boolean read) {
        chain.add(wrId, opcode);
        if (unordered != null && !read && unordered.readsInFlight() > 0) {
            chain.fence();
        }
    }

    /**
     * Uses a credit if the request takes a receive of a peer that counts them, and writes the frame or the number of a
     * message.
     *
     * @return bytes of the frame; 0 if there is none
     */
    private int useCredit(int slot, Operation operation) {
        if (!operation.isMessage()) {
            return 0;
        }
        if (!credits.framed()) {
            if (numbers != null && operation.request().opcode() == WorkRequestOpcode.SEND) {
                chain.immediate(numbers.next());
            }
            return 0;
        }
        credits.consume();
        if (operation.request().opcode() == WorkRequestOpcode.RDMA_WRITE_WITH_IMM) { // has no frame
            return 0;
        }
        int messages = operation.messages();
        if (messages == 1) {
            frame(slot, Frame.DATA, 0);
        } else {
            frame(slot, Frame.BATCH, messages);
        }
        return Frame.BYTES;
    }

    private void inlineIfSmall(int bytes) {
        if (bytes > 0 && bytes <= maxInline) {
            chain.inline();
        }
    }

    private void encodeWithoutBuffer(int slot, Operation operation, boolean waited) {
        if (operation instanceof BindOperation bind) {
            chain.bind(bind.window(), bind.binding());
            return;
        }
        if (operation instanceof GatherOperation gathered) {
            encodeGathered(slot, gathered);
            return;
        }
        WorkRequest request = operation.request();
        BufferList several = request.buffers();
        if (several != null) {
            encodeSeveral(slot, operation, several, waited);
            return;
        }
        RemoteMemory target = Objects.requireNonNull(request.remote());
        switch (request.opcode()) {
            case FLUSH -> chain.flush(target, PlacementRequest.type(request));
            case ATOMIC_WRITE ->
                chain.atomicWrite(
                        target.address(),
                        target.rkey(),
                        Objects.requireNonNull(request.operands()).compareAdd());
            case RDMA_READ -> { // behind writes, for its completion alone
                chain.remote(target.address(), target.rkey());
                chain.entry(address(slot), operation.length(), slotMemory.lkey());
            }
            default -> encodeAtomic(slot, request, target);
        }
    }

    /** Encodes an atomic. Its result goes to the first 8 bytes of the slot. */
    private void encodeAtomic(int slot, WorkRequest request, RemoteMemory target) {
        WorkRequest.Operands operands = Objects.requireNonNull(request.operands());
        chain.atomic(target.address(), target.rkey(), operands.compareAdd(), operands.swap());
        chain.entry(address(slot), Long.BYTES, slotMemory.lkey());
    }

    private void encodeGathered(int slot, GatherOperation operation) {
        int framed = useCredit(slot, operation);
        for (int piece = 0; piece < operation.pieces(); piece++) {
            chain.entry(operation.address(piece), operation.length(piece), operation.lkey(piece));
        }
        inlineIfSmall(framed + operation.length());
    }

    private void encodeSeveral(int slot, Operation operation, BufferList buffers, boolean waited) {
        if (waited) {
            buffers.requireMemory();
        }
        RemoteMemory remote = operation.request().remote();
        if (remote != null) {
            chain.remote(remote.address(), remote.rkey());
        }
        int framed = useCredit(slot, operation);
        int[] lengths = operation.lengths();
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] > 0) { // some devices take a length of 0 for 2 GiB
                RegisteredBuffer buffer = buffers.get(i);
                chain.entry(buffer.address(), lengths[i], buffer.lkey());
            }
        }
        if (!operation.isRead()) {
            inlineIfSmall(framed + operation.length());
        }
    }

    private void encodeOperands(Operation operation) {
        WorkRequest request = operation.request();
        CachedAddress path = operation.path();
        if (path != null) {
            DatagramAddress destination = Objects.requireNonNull(request.destination());
            chain.destination(path.handle(), destination.qpNumber(), destination.qkey());
        } else if (XrcRequest.receiver(request) >= 0) {
            chain.sharedReceiveQueue(XrcRequest.receiver(request));
        }
        attach(request);
    }

    /** Adds the immediate data or the key to invalidate. Both have the same place in C, in different byte orders. */
    private void attach(WorkRequest request) {
        if (request.opcode() == WorkRequestOpcode.SEND_WITH_INV) {
            chain.invalidate(request.immediate());
        } else {
            chain.immediate(request.immediate());
        }
    }

    /** Encodes a control frame that announces receives. */
    void encodeCredit(long wrId, int slot) {
        credits.consumeControl();
        encodeControl(wrId, slot, Frame.CREDIT);
    }

    /** Encodes a control frame of a type. */
    void encodeControl(long wrId, int slot, int type) {
        begin(wrId, WorkRequestOpcode.SEND, false);
        frame(slot, type, 0);
        if (Frame.BYTES <= maxInline) {
            chain.inline();
        }
    }

    /** Encodes the announcement of a large message. */
    void encodeAnnouncement(long wrId, int slot, WorkRequest request, RemoteMemory exposed) {
        begin(wrId, request.opcode(), false);
        attach(request);
        credits.consume();
        frame(slot, Frame.ANNOUNCEMENT, 0);
        exposed.encode(slotMemory.segment().asSlice(offset(slot) + ANNOUNCEMENT, RemoteMemory.ENCODED_BYTES));
        chain.entry(address(slot) + ANNOUNCEMENT, RemoteMemory.ENCODED_BYTES, slotMemory.lkey());
    }

    private void frame(int slot, int type, int messages) {
        Frame.write(
                slotMemory.segment(),
                offset(slot) + FRAME,
                type,
                messages,
                credits.announce(),
                credits.announceControl(),
                credits.announceFetched());
        chain.entry(address(slot) + FRAME, Frame.BYTES, slotMemory.lkey());
    }

    /** Returns the result of the read or atomic of a slot: the old value for an atomic, else 0. */
    long result(int slot, WorkRequest request) {
        return request.isAtomic() ? slotMemory.segment().get(ValueLayout.JAVA_LONG, offset(slot)) : 0;
    }

    private static long offset(int slot) {
        return (long) slot * SLOT_BYTES;
    }

    private long address(int slot) {
        return slotMemory.segment().address() + offset(slot);
    }
}
