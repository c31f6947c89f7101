package io.rdma.internal.engine;

import io.rdma.types.RemoteMemory;
import io.rdma.verbs.CompletionBatch;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - Type and length of a frame are checked first, and the table of a batch. Then its counters are taken, then its
// content. A frame that is not valid ends the connection.
// - The slot of a control frame is given back at once: it never waits for the application.

/** Reader of the frames that one connection receives: counters, control frames, announcements of large messages. */
final class FrameReader {
    private final Endpoint endpoint;
    private final ReceiveQueue queue;
    private final ReceiveRing ring;
    private final ReceiveSlots slots;
    private final Credits credits;
    private final IntConsumer giveBack;
    private final boolean shared;
    private final int maxMessageSize;
    private final boolean batches;
    private final @Nullable CompletableFuture<Void> firstFrame; // null unless this side awaits it

    /**
     * Creates the reader of a queue.
     *
     * @param giveBack gives back the slot of a message
     * @param shared whether other connections share the ring
     * @param options as negotiated
     */
    FrameReader(
            Endpoint endpoint,
            ReceiveQueue queue,
            ReceiveRing ring,
            Credits credits,
            IntConsumer giveBack,
            boolean shared,
            EndpointOptions options) {
        this.endpoint = endpoint;
        this.queue = queue;
        this.ring = ring;
        this.slots = ring.slots();
        this.credits = credits;
        this.giveBack = giveBack;
        this.shared = shared;
        this.maxMessageSize = options.receiveMessageSize();
        this.batches = options.batches();
        this.firstFrame = options.awaitsPeer() ? new CompletableFuture<>() : null;
    }

    /** Returns the arrival of the peer's first frame, before which this side may not send; null if it may. */
    @Nullable
    CompletableFuture<Void> firstFrame() {
        return firstFrame;
    }

    /**
     * Reads the frame in a slot: takes its counters, and then handles what it announces or passes its message on. Loop.
     *
     * @param bytes of the receive, frame included
     */
    void read(int slot, int bytes, CompletionBatch completions, int index) {
        int length = bytes - Frame.BYTES;
        MemorySegment memory = slots.frames(slot);
        long frame = slots.frame(slot);
        int type = length < 0 ? -1 : Frame.type(memory, frame);
        boolean known = switch (type) {
            case Frame.DATA -> true;
            case Frame.BATCH ->
                batches
                        && !completions.hasImmediate(index)
                        && !completions.hasInvalidatedKey(index)
                        && BatchLayout.isValid(slots.buffer(slot), length, Frame.messages(memory, frame));
            case Frame.CREDIT -> length == 0;
            case Frame.ANNOUNCEMENT -> length == RemoteMemory.ENCODED_BYTES;
            case Frame.BYE, Frame.ABORT -> length == 0 && credits.farewells();
            default -> false;
        };
        if (!known
                || !credits.granted(Frame.granted(memory, frame), Frame.grantedControl(memory, frame))
                || !endpoint.sends().fetched(Frame.fetched(memory, frame))) {
            brokenProtocol(slot, "it sent a frame of an unknown type or with an invalid length or counter");
            return;
        }
        if (firstFrame != null && !firstFrame.isDone()) {
            firstFrame.complete(null);
        }
        switch (type) {
            case Frame.BATCH -> queue.arrived(slot, length, Frame.messages(memory, frame));
            case Frame.CREDIT -> credit(slot);
            case Frame.ANNOUNCEMENT -> announced(slot, completions, index);
            case Frame.BYE, Frame.ABORT -> {
                endpoint.peerSaidFarewell(type == Frame.BYE);
                ring.holdsControl(slot, true);
                ring.giveBack(slot);
            }
            default -> queue.arrived(slot, length, completions, index);
        }
        endpoint.creditsChanged();
    }

    /**
     * Takes the number of a message that has no frame. Gives the slot back if the message must not be delivered. Loop.
     *
     * @return whether it is to be delivered
     */
    boolean acceptsNumber(int slot, MessageNumbers numbers, CompletionBatch completions, int index) {
        if (!completions.hasImmediate(index)) {
            brokenProtocol(slot, "it sent a message without a number on an unreliable connection");
            return false;
        }
        if (!numbers.accept(completions.immediate(index))) {
            ring.giveBack(slot);
            return false;
        }
        return true;
    }

    private void credit(int slot) {
        ring.holdsControl(slot, true);
        if (shared) {
            if (!credits.receiveControl()) {
                queue.exceeded("more control frames than its window allows");
            }
            credits.reposted(0, 1);
        }
        ring.giveBack(slot);
    }

    private void announced(int slot, CompletionBatch completions, int index) {
        if (queue.isRefused(slot)) {
            return;
        }
        RemoteMemory source;
        try {
            source = RemoteMemory.decode(slots.buffer(slot).asSlice(0, RemoteMemory.ENCODED_BYTES));
        } catch (IllegalArgumentException e) {
            brokenProtocol(slot, e.getMessage());
            return;
        }
        if (source.length() <= 0 || source.length() > maxMessageSize) {
            brokenProtocol(
                    slot, "it announced a message of " + source.length() + " bytes instead of 1 to " + maxMessageSize);
            return;
        }
        boolean invalidated = completions.hasInvalidatedKey(index);
        ring.arrivals().putSingle(slot);
        queue.enqueue(
                slot,
                new Fetch(
                        endpoint,
                        queue,
                        source,
                        completions.hasImmediate(index),
                        invalidated,
                        ArrivedMessages.data(completions, index, invalidated),
                        giveBack,
                        slot));
    }

    private void brokenProtocol(int slot, @Nullable String how) {
        endpoint.abort(new BrokenProtocolException(String.valueOf(how)));
        ring.giveBack(slot);
    }
}
