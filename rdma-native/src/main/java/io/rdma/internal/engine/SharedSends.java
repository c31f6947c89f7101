package io.rdma.internal.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.RdmaException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants
// - Messages are taken from the backlog in its order. A message that joins needs neither a credit nor a slot of its
// own.
// - The buffers are those of the application's messages. If none is free, each message has its own SEND. The pool does
// not grow for them.

/** Maker of SENDs for small messages that wait together. Used by the poster of the send queue. */
final class SharedSends {
    private final Backlog backlog;
    private final BufferPool buffers;
    private final MessageBatch batch;
    private final SharedSend.End end;
    private final @Nullable SharedSend[] made; // by the buffer's place in the pool

    /**
     * Creates the maker of a send queue.
     *
     * @param batchBytes see {@link EndpointOptions#batchBytes}
     * @param end ends a member
     */
    SharedSends(Backlog backlog, BufferPool buffers, int batchBytes, SharedSend.End end) {
        this.backlog = backlog;
        this.buffers = buffers;
        this.batch = new MessageBatch(batchBytes);
        this.end = end;
        made = new @Nullable SharedSend[batchBytes == 0 ? 0 : buffers.count()];
    }

    /** Returns whether an operation that was submitted is a message that may share a SEND. Any thread. */
    boolean mayShare(Operation operation) {
        return operation.isMessage() // first: it rules out a write
                && batch.isSmall(operation.length())
                && operation.messages() == 1
                && operation.request().isPlainSend();
    }

    /**
     * Joins an operation with the messages that follow it in the backlog.
     *
     * @param first posted, and may share
     * @return the SEND, which owns the first operation and those that joined; null if the first operation stays alone
     */
    @Nullable
    SharedSend join(Operation first) {
        if (following() == null) {
            return null;
        }
        RegisteredBuffer buffer = buffers.tryAcquireSpare();
        SharedSend shared = buffer == null ? null : of(buffer);
        if (buffer == null || shared == null) {
            return null;
        }
        batch.begin();
        copy(first, buffer);
        shared.add(first);
        try {
            addFollowing(shared, buffer);
        } catch (Throwable e) { // such as no memory: the connection ends, and these are in no queue
            shared.refuse(new RdmaException("messages could not be put into one SEND: " + e, e));
            throw e;
        }
        if (shared.messages() == 1) { // those that follow were cancelled
            shared.dissolve();
            return null;
        }
        batch.finish(buffer);
        shared.posting(buffer.limit());
        return shared;
    }

    private @Nullable Operation following() {
        Operation next = backlog.peekMessage();
        return next != null && mayShare(next) && !next.isWithdrawn() ? next : null;
    }

    private void addFollowing(SharedSend shared, RegisteredBuffer buffer) {
        for (Operation next; (next = following()) != null && batch.fits(next.length()) && shared.hasRoom(); ) {
            backlog.takeMessage();
            if (next.markPosted()) { // else it was cancelled
                copy(next, buffer);
                shared.add(next);
            }
        }
    }

    private void copy(Operation message, RegisteredBuffer to) {
        RegisteredBuffer from = Objects.requireNonNull(message.request().buffer());
        batch.copy(from.address(), message.length(), to.address());
    }

    private @Nullable SharedSend of(RegisteredBuffer buffer) {
        SharedSend known = made[buffer.place()];
        if (known != null) {
            return known;
        }
        try {
            SharedSend shared = new SharedSend(buffer, end);
            made[buffer.place()] = shared;
            return shared;
        } catch (Throwable e) { // no memory: the message is sent by itself
            buffer.close();
            return null;
        }
    }
}
