package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.ReceiveQueue;
import java.io.IOException;

// Invariants
// - A message stays in its receive buffer until a read is asked for, so a channel that does not read gives the peer no
// credits.
// - Messages are handed on in order. What follows the end of the stream is dropped.

/** Input of one channel: hands messages that arrived to the pipeline, as many as a read allows. Event loop. */
final class ChannelInput {
    /** Outcome of a read for the channel. */
    enum State {
        /** More may arrive. */
        OPEN,
        /** The peer sends no more, and has said so. */
        ENDED,
        /** The connection is lost, or the peer has given it up. */
        RESET
    }

    private final Endpoint endpoint;
    private final ReceiveQueue receives;
    private State state = State.OPEN;

    ChannelInput(Endpoint endpoint) {
        this.endpoint = endpoint;
        receives = endpoint.receives();
    }

    /** Sets the listener that is notified, on the event loop, when a read may find something. */
    void listener(Runnable arrived) {
        receives.listener(arrived);
    }

    /** Returns whether a read would find messages or the end. */
    boolean hasNews() {
        return state != State.OPEN || !receives.isEmpty() || receives.isTerminated();
    }

    /** Drops what has arrived and will arrive: the channel is closed, or reads no more. */
    void discard() {
        receives.listener(receives::discard);
    }

    /**
     * Hands messages to the pipeline.
     *
     * @param begun called before each message is handed on: the read that was asked for has begun
     * @return whether there is more to read afterwards
     */
    @SuppressWarnings("deprecation") // the handle is what Netty's own channels use
    State read(ChannelConfig config, ChannelPipeline pipeline, RecvByteBufAllocator.Handle handle, Runnable begun) {
        handle.reset(config);
        do {
            if (state != State.OPEN) {
                break;
            }
            ReceivedMessage message = receives.poll();
            if (message == null) {
                handle.lastBytesRead(0);
                if (receives.isTerminated() && receives.isEmpty()) {
                    state = endpoint.failure() == null ? State.ENDED : State.RESET;
                }
                break;
            }
            int length = message.length();
            if (length == 0) {
                message.close();
                state = State.ENDED;
                discard();
                break;
            }
            ByteBuf bytes = bytes(config, message);
            handle.attemptedBytesRead(length);
            handle.lastBytesRead(length);
            handle.incMessagesRead(1);
            begun.run();
            pipeline.fireChannelRead(bytes);
        } while (handle.continueReading());
        handle.readComplete();
        return state;
    }

    /** Wraps the memory of the message, or copies it where the pipeline keeps so many that receives run short. */
    private ByteBuf bytes(ChannelConfig config, ReceivedMessage message) {
        if (!receives.isScarce()) {
            return new ReceivedByteBuf(config.getAllocator(), message);
        }
        try (message) {
            return config.getAllocator()
                    .directBuffer(message.length())
                    .writeBytes(message.segment().asByteBuffer());
        }
    }

    /** Returns the reason of a reset, in the words of a socket. */
    IOException reset() {
        return new IOException("Connection reset by peer", endpoint.failure());
    }
}
