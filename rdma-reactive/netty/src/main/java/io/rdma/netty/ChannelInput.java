package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.engine.FlowControlException;
import io.rdma.internal.engine.BrokenProtocolException;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.ReceiveQueue;
import java.io.IOException;
import java.net.ProtocolException;
import org.jspecify.annotations.Nullable;

// Invariants
// - A message stays in its receive buffer until a read is asked for, so a channel that does not read gives the peer no
// credits.
// - `rest` is what a read has left of a message, because the channel's RecvByteBufAllocator reads less at a time. It is
// released by the read of its last piece, or by discard().
// - Bytes are handed on in order. Nothing follows the end of the stream but the end of the connection.
// - A peer that breaks these rules is at fault: `violation` says how, and the connection is aborted.

/** Input of one channel: hands messages that arrived to the pipeline, as many as a read allows. Event loop. */
final class ChannelInput {
    /** State of the input. */
    enum State {
        /** More may arrive. */
        OPEN,
        /** The peer sends no more, and has said so. */
        ENDED,
        /** The connection is lost, or the peer has given it up. */
        RESET
    }

    private final Endpoint endpoint;
    private final ChannelConfig config;
    private final ReceiveQueue receives;
    private final ReceivedBuffers buffers;
    private final UncheckedBooleanSupplier more = this::hasNews;
    private @Nullable ByteBuf rest;
    private boolean discarding;
    private State state = State.OPEN;
    private @Nullable ProtocolException violation;

    ChannelInput(Endpoint endpoint, ChannelConfig config) {
        this.endpoint = endpoint;
        this.config = config;
        receives = endpoint.receives();
        buffers = new ReceivedBuffers(receives.places());
    }

    /** Sets the listener that is notified, on the event loop, when a read may find something. */
    void listener(Runnable arrived) {
        receives.listener(arrived);
    }

    /** Returns whether a read would find bytes or the end. */
    boolean hasNews() {
        return rest != null || state != State.OPEN || !receives.isEmpty() || receives.isTerminated();
    }

    /** Returns whether the end is all that a read would find. Takes the next message for that, if there is one. */
    boolean isAtEnd() {
        return rest == null && state == State.OPEN && (rest = next()) == null && state != State.OPEN;
    }

    /**
     * Drops what has arrived and will arrive: the channel is closed, or reads no more.
     *
     * @param ended called at the end of the connection
     */
    void discard(Runnable ended) {
        discarding = true;
        ByteBuf unread = rest;
        rest = null;
        if (unread != null) {
            unread.release();
        }
        receives.listener(() -> {
            receives.discard();
            if (receives.isTerminated()) {
                ended.run();
            }
        });
    }

    /**
     * Hands bytes to the pipeline.
     *
     * @param begun called before each piece is handed on: the read that was asked for has begun
     * @return whether there is more to read afterwards
     */
    @SuppressWarnings("deprecation") // the handle is what Netty's own channels use
    State read(ChannelPipeline pipeline, RecvByteBufAllocator.ExtendedHandle handle, Runnable begun) {
        handle.reset(config);
        do {
            int most = Math.max(1, handle.guess());
            handle.attemptedBytesRead(most);
            ByteBuf piece = piece(most);
            if (piece == null) {
                handle.lastBytesRead(0);
                break;
            }
            handle.lastBytesRead(piece.readableBytes());
            handle.incMessagesRead(1);
            begun.run();
            pipeline.fireChannelRead(piece);
        } while (handle.continueReading(more));
        handle.readComplete();
        return rest == null ? state : State.OPEN;
    }

    private @Nullable ByteBuf piece(int most) {
        ByteBuf bytes = rest;
        if (bytes == null) {
            bytes = next();
        }
        if (bytes == null || bytes.readableBytes() <= most) {
            rest = null;
            return bytes;
        }
        rest = bytes;
        return bytes.readRetainedSlice(most);
    }

    /** Returns the bytes of the next message; null if there is none at present, or if the state is not OPEN. */
    private @Nullable ByteBuf next() {
        if (state != State.OPEN || discarding) {
            return null;
        }
        ReceivedMessage message = receives.lend();
        if (message == null) {
            if (receives.isTerminated() && receives.isEmpty()) {
                state = endpoint.failure() == null ? State.ENDED : State.RESET;
            }
            return null;
        }
        if (message.hasImmediate()) {
            message.close();
            return broken("a message with immediate data");
        }
        if (message.length() == 0) {
            message.close();
            state = State.ENDED;
            return null;
        }
        return bytes(message);
    }

    private @Nullable ByteBuf broken(String how) {
        ProtocolException cause =
                new ProtocolException("the peer sent " + how + ", so it is no channel of this transport");
        violation = cause;
        state = State.RESET;
        endpoint.abort(cause);
        return null;
    }

    /**
     * Returns what has followed the end of the stream.
     *
     * @return OPEN if nothing has, ENDED if the connection has ended, RESET if it is lost or the peer has sent more
     */
    State behindEnd() {
        ReceivedMessage message = receives.poll();
        if (message != null) {
            try (message) {
                broken("a message of " + message.length() + " bytes behind the end of its stream");
            }
        } else if (!receives.isTerminated()) {
            return State.OPEN;
        } else if (endpoint.failure() != null) {
            state = State.RESET;
        }
        return state;
    }

    /** Wraps the memory of the message, or copies it where the pipeline keeps so many that receives run short. */
    private ByteBuf bytes(ReceivedMessage message) {
        if (!receives.isScarce()) {
            return buffers.take(message, config.getAllocator());
        }
        try (message) {
            return config.getAllocator()
                    .directBuffer(message.length())
                    .writeBytes(message.segment().asByteBuffer());
        }
    }

    /** Returns the reason of a reset: what the peer did wrong, or else the words of a socket. */
    IOException reset() {
        Throwable failure = endpoint.failure();
        if (violation != null) {
            return violation;
        }
        if (failure instanceof BrokenProtocolException || failure instanceof FlowControlException) {
            ProtocolException broken = new ProtocolException(failure.getMessage());
            broken.initCause(failure);
            return broken;
        }
        return new IOException("Connection reset by peer", failure);
    }
}
