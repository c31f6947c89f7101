package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.ReceiveQueue;
import io.rdma.reactive.MessageEncoder;
import io.rdma.reactive.internal.LentByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.util.context.Context;

// Invariants
// - A frame is released here after it was passed on. A receiver that needs it longer retains it, as with every
// transport of RSocket.
// - RSocket requests without limit and may retain frames for long, so demand does not slow the peer down. Therefore at
// most half of the receive buffers are lent. Beyond that a frame is copied, and its buffer is posted again at once.

/** Operator that turns messages into RSocket frames, with the encoder for the other direction. */
final class Frames implements CoreSubscriber<ReceivedMessage>, Subscription, Scannable {
    /** Encoder that copies a frame once, from wherever its parts are into the buffer that the device reads. */
    static final MessageEncoder<ByteBuf> ENCODER = new MessageEncoder<>() {
        @Override
        public int encode(ByteBuf frame, MemorySegment target) {
            int length = frame.readableBytes();
            try {
                frame.getBytes(frame.readerIndex(), target.asSlice(0, length).asByteBuffer());
            } finally {
                ReferenceCountUtil.safeRelease(frame);
            }
            return length;
        }

        @Override
        public int length(ByteBuf frame) {
            return frame.readableBytes();
        }
    };

    private final ReceiveQueue receives;
    private final ByteBufAllocator alloc;
    private final CoreSubscriber<? super ByteBuf> actual;
    private @Nullable Subscription upstream;

    Frames(ReceiveQueue receives, ByteBufAllocator alloc, CoreSubscriber<? super ByteBuf> actual) {
        this.receives = receives;
        this.alloc = alloc;
        this.actual = actual;
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        actual.onSubscribe(this);
    }

    @Override
    public void onNext(ReceivedMessage message) {
        ByteBuf frame = receives.isScarce() ? copy(message) : new LentByteBuf(alloc, message);
        try {
            actual.onNext(frame);
        } finally {
            frame.release();
        }
    }

    private ByteBuf copy(ReceivedMessage message) {
        try (message) {
            return alloc.buffer(message.length()).writeBytes(message.segment().asByteBuffer());
        }
    }

    @Override
    public void onError(Throwable error) {
        actual.onError(closed(error));
    }

    /** Signals the end as an error, because RSocket expects every end of a connection to be an error. */
    @Override
    public void onComplete() {
        actual.onError(new ClosedChannelException());
    }

    private static Throwable closed(Throwable error) {
        if (error instanceof IllegalStateException) {
            return error; // a second subscriber
        }
        ClosedChannelException closed = new ClosedChannelException();
        closed.initCause(error);
        return closed;
    }

    @Override
    public void request(long n) {
        if (upstream != null) {
            upstream.request(n);
        }
    }

    @Override
    public void cancel() {
        if (upstream != null) {
            upstream.cancel();
        }
    }

    @Override
    public String stepName() {
        return "rdmaFrames";
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        }
        return key == Attr.ACTUAL ? actual : key == Attr.RUN_STYLE ? Attr.RunStyle.SYNC : null;
    }
}
