package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.os.StackRoom;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.scheduler.Schedulers;

// Invariants
// - At most one message is requested, and none while one is here. So a reader that is interrupted loses nothing: the
// message that it waited for stays here for the next read.
// - A message that is here is closed by the read of its last byte, or by close().

/** Input of an {@link RdmaByteStream} as a stream that waits. */
final class ByteStreamInput extends InputStream {
    private final RdmaByteStream stream;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Receiver receiver; // (lock)
    private @Nullable ReceivedMessage message; // (lock)
    private int position; // (lock) in the message
    private boolean requested; // (lock)
    private boolean terminated; // (lock)
    private boolean ended; // (lock)
    private boolean closed; // (lock)
    private @Nullable Throwable failure; // (lock)

    ByteStreamInput(RdmaByteStream stream) {
        this.stream = stream;
    }

    private final class Receiver extends BaseSubscriber<ReceivedMessage> {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // requests when it is read
        }

        @Override
        protected void hookOnNext(ReceivedMessage next) {
            change(() -> {
                requested = false;
                position = 0;
                message = next;
                if (closed) {
                    drop();
                }
            });
        }

        @Override
        protected void hookOnComplete() {
            change(() -> {
                terminated = true;
                failure = stream.withoutEnd();
            });
        }

        @Override
        protected void hookOnError(Throwable error) {
            change(() -> {
                terminated = true;
                failure = error;
            });
        }
    }

    private void change(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            changed.signalAll();
            lock.unlock();
        }
    }

    /** Closes the message that is here. If it is the end of the stream, a later reader must not wait for it. */
    private void drop() {
        ReceivedMessage read = message;
        message = null;
        if (read != null) {
            stream.isEnd(read.length());
            read.close();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        StackRoom.require(StackRoom.CLOSE); // else bytes that were taken might not be returned
        lock.lock();
        try {
            if (length == 0) {
                return 0;
            }
            ReceivedMessage next = await();
            if (next == null) {
                return -1;
            }
            int count = Math.min(length, next.length() - position);
            MemorySegment.copy(next.segment(), ValueLayout.JAVA_BYTE, position, bytes, offset, count);
            position += count;
            if (position == next.length()) {
                drop();
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Awaits a message that has bytes left; returns null after the end of the stream. */
    private @Nullable ReceivedMessage await() throws IOException {
        while (true) {
            if (closed) {
                throw new IOException("the stream is closed");
            }
            ReceivedMessage here = message;
            if (here != null && stream.isEnd(here.length())) {
                drop();
                ended = true;
                cancel();
            } else if (here != null) {
                return here;
            }
            if (ended) {
                return null;
            }
            if (terminated) {
                if (failure != null) {
                    throw new IOException("the stream has no end: " + failure.getMessage(), failure);
                }
                return null;
            }
            request();
        }
    }

    /** Requests a message, unless that was done, and waits for any change. */
    private void request() throws IOException {
        if (Schedulers.isInNonBlockingThread()) { // the loop would wait for itself
            throw new IllegalStateException("waiting for bytes is not supported in thread "
                    + Thread.currentThread().getName() + ": read on a virtual thread, or subscribe to read()");
        }
        Receiver from = receiver;
        if (from == null) {
            from = new Receiver();
            stream.messages().subscribe(from);
            if (terminated && failure instanceof IllegalStateException busy) { // so this is no end
                terminated = false;
                failure = null;
                throw new IOException("another subscriber reads the stream: let one read, or cancel it", busy);
            }
            receiver = from; // not before: on a nearly full stack the subscribe throws, and the next read tries again
        }
        if (!requested) {
            requested = true;
            try {
                from.request(1); // may deliver at once, on this thread
            } catch (Throwable e) { // a nearly full stack: nothing was requested
                requested = false;
                throw e;
            }
        }
        try {
            while (requested && !terminated && !closed) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for bytes");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    private void cancel() {
        if (receiver != null) {
            receiver.cancel();
        }
    }

    @Override
    public int available() {
        lock.lock();
        try {
            return message == null ? 0 : message.length() - position;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        StackRoom.require(StackRoom.CLOSE);
        change(() -> {
            closed = true;
            cancel();
            drop();
        });
    }
}
