package io.rdma.reactive;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.MessageStream;
import io.rdma.internal.os.StackRoom;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

// Invariants
// - Demand: at most `most` items are requested and not delivered, and `more` fewer as long as each message has a SEND
// of its own. So `items` and the operations in flight together hold at most `most` items.
// - Items wait in `items` until there is a buffer. The thread that takes `wip` from 0 encodes and submits for all
// threads, in order. It blocks neither the loop nor a platform thread of the application: a message that needs memory
// of its own is made on a virtual thread, which drains from then on.
// - A batch of small messages that stays open at the end of a drain has a request before it, whose end drains again.
// - `arrived` counts the items of the source, which signals one at a time. `total` is that count once the source has
// completed. The thread that finds as many delivered, after its write of either number, completes the stream.
// - Items that the source signals within a request of this stream, on the same thread, are drained at the end of the
// request: together. If nothing of the stream is in flight then, the first one is drained at once.
// - A request by the loop has the drain, unless another thread has it. Then it encodes the items that the source
// signals meanwhile without the queue. Other threads that want to drain wait for the loop in any case: it posts.
// - The thread that makes `ended` true signals the end, or is the one that cancels. Nothing is signalled afterwards.
// - Items are requested by one thread at a time. A cancel does not wait for a request that is in progress, since the
// publisher may take any time for it.
// - An exception during a drain ends the stream, and the drain continues, so that buffers that arrive later are
// still returned.

/**
 * Mono that sends each item of a publisher as a message, for each subscriber. Completes when the peer's device has
 * received all of them.
 */
final class SendStreamMono<T> extends Mono<Void> implements Scannable {
    private final Endpoint endpoint;
    private final Publisher<? extends T> source;
    private final MessageEncoder<? super T> encoder;

    private SendStreamMono(Endpoint endpoint, Publisher<? extends T> source, MessageEncoder<? super T> encoder) {
        this.endpoint = endpoint;
        this.source = source;
        this.encoder = encoder;
    }

    static <T> Mono<Void> of(Endpoint endpoint, Publisher<? extends T> source, MessageEncoder<? super T> encoder) {
        return onAssembly(new SendStreamMono<>(endpoint, source, encoder));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        source.subscribe(new Sending<>(endpoint, encoder, actual));
    }

    @Override
    public String stepName() {
        return StepNames.SEND_STREAM;
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : key == Attr.PARENT ? source : null;
    }

    private static final class Sending<T> extends MessageStream implements CoreSubscriber<T>, Subscription, Scannable {
        private final Endpoint endpoint;
        private final MessageEncoder<? super T> encoder;
        private final CoreSubscriber<? super Void> actual;
        private final int most;
        private final int more; // of `most`, only while messages share SENDs
        private final UpstreamDemand demand;
        private final Queue<T> items;
        private final AtomicInteger wip = new AtomicInteger();
        private final AtomicLong delivered = new AtomicLong();
        private long arrived; // (source)
        private volatile long total = -1; // of items, once the source has completed
        private final AtomicBoolean started = new AtomicBoolean();
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable RegisteredBuffer handed; // buffer that the pool gave to the waiter
        private volatile @Nullable BufferWaiter waiter;
        private @Nullable Subscription upstream;
        private volatile boolean cancelled;
        private volatile boolean sourceEnded; // if so, the source is neither requested from nor cancelled
        private volatile @Nullable Thread requester; // until its request to the source has returned
        private boolean drainsInRequest; // (requester) has the drain
        private @Nullable Throwable late; // (requester) error that ends the stream when the request has returned
        private @Nullable RegisteredBuffer spare; // (draining thread) buffer whose message was copied into another
        private boolean shares; // (draining thread) more items are demanded
        private final AtomicInteger change = new AtomicInteger(); // of the demand, after the drain
        private int needed; // (draining thread) bytes that the encoder reported for the first item; else 0

        Sending(Endpoint endpoint, MessageEncoder<? super T> encoder, CoreSubscriber<? super Void> actual) {
            super(endpoint);
            this.endpoint = endpoint;
            this.encoder = encoder;
            this.actual = actual;
            int first = endpoint.options().maxMessagesInFlight();
            this.most = endpoint.options().maxSmallMessagesInFlight();
            more = most - first;
            demand = new UpstreamDemand(first, this::requestFromSource);
            items = Queues.<T>get(most).get();
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                actual.onSubscribe(this);
            }
        }

        /**
         * Starts the demand for upstream. That demand does not depend on the subscriber's demand for the end of the
         * stream, but begins with it.
         */
        @Override
        public void request(long n) {
            StackRoom.require(StackRoom.SIGNAL);
            if (n <= 0) {
                end(OperatorErrors.ofRequest(n));
            } else if (started.compareAndSet(false, true)) {
                demand.begin();
            }
        }

        private void requestFromSource(int items) {
            if (ended.get() || sourceEnded) {
                return;
            }
            requester = Thread.currentThread();
            drainsInRequest = endpoint.loop().isLoopThread() && wip.compareAndSet(0, 1);
            try {
                source().request(items);
            } catch (Throwable e) { // violates Reactive Streams; this may be the loop
                end(OperatorErrors.of(upstream, e, null, currentContext()));
            } finally {
                endRequest();
            }
        }

        private void endRequest() {
            Throwable error = late;
            late = null;
            requester = null;
            try {
                if (error != null) {
                    end(error);
                }
            } finally {
                drainForRequest();
            }
        }

        /** Drains, and gives up the drain if the request has it (requester). */
        private void drainForRequest() {
            if (drainsInRequest) {
                drainsInRequest = false;
                drainHeld();
            } else {
                drain();
            }
        }

        private Subscription source() {
            return java.util.Objects.requireNonNull(upstream);
        }

        @Override
        public void onNext(T item) {
            java.util.Objects.requireNonNull(item, "§2.13: an item must not be null");
            boolean requested = requester == Thread.currentThread();
            boolean gathers = requested && !isIdle();
            if (gathers) {
                StackRoom.requireForPost();
            } else {
                StackRoom.require(StackRoom.SIGNAL);
            }
            if (ended.get() || requested && late != null) {
                Operators.onDiscard(item, currentContext());
                return;
            }
            arrived++;
            if (requested && drainsInRequest && items.isEmpty() && sentInRequest(item)) {
                return;
            }
            if (!items.offer(item)) {
                Operators.onDiscard(item, currentContext());
                end(new IllegalStateException("the publisher sent more items than were requested: " + most));
                return;
            }
            if (!gathers || isIdle()) { // else the end of the request drains, or that of what is in flight
                if (requested) {
                    drainForRequest();
                } else {
                    drain();
                }
            }
        }

        /** Encodes an item. Returns false if it has to wait in the queue. */
        private boolean sentInRequest(T item) {
            boolean consumed = false;
            try {
                RegisteredBuffer buffer = bufferFor(item);
                if (buffer == null) {
                    return false;
                }
                consumed = true;
                if (!isEncoded(item, buffer)) {
                    return false;
                }
                sendEncoded(buffer);
            } catch (Throwable e) { // the encoder is application code
                if (!consumed) {
                    Operators.onDiscard(item, currentContext());
                }
                endInRequest(OperatorErrors.of(upstream, e, item, currentContext()));
                return true;
            }
            if (isIdle()) {
                try {
                    flushIfDue();
                } catch (Throwable e) { // the subscriber threw, but was notified
                    endDuringDrain(e);
                }
            }
            return true;
        }

        /** Ends the stream now or, if the stack has no room for that, when the request has returned. */
        private void endInRequest(Throwable error) {
            late = error;
            if (!ended.get() && StackRoom.has(StackRoom.CLOSE)) { // the source is cancelled meanwhile
                endDuringDrain(error);
            }
        }

        @Override
        public void onError(Throwable error) {
            java.util.Objects.requireNonNull(error, "§2.13: an error must not be null");
            sourceEnded = true;
            if (!end(error)) {
                Operators.onErrorDropped(error, currentContext());
            }
        }

        @Override
        public void onComplete() {
            sourceEnded = true;
            total = arrived;
            completeIfDelivered(delivered.get());
            drain();
        }

        @Override
        protected void sent(int messages) {
            demand.delivered(messages);
            completeIfDelivered(delivered.addAndGet(messages));
            drain();
        }

        private void completeIfDelivered(long items) {
            if (items == total && ended.compareAndSet(false, true)) {
                finished();
                actual.onComplete();
            }
        }

        @Override
        protected void failed(RuntimeException error) {
            if (requester == Thread.currentThread()) {
                endInRequest(error);
            } else {
                end(error);
            }
        }

        private boolean end(Throwable error) {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            try {
                stop();
            } finally {
                actual.onError(error);
            }
            return true;
        }

        @Override
        public void cancel() {
            StackRoom.require(StackRoom.CLOSE); // the source is cancelled meanwhile
            if (ended.compareAndSet(false, true)) {
                cancelled = true;
                stop();
            }
        }

        /**
         * Stops the stream once {@code ended} is set: no more items are accepted, and waiting messages are not sent.
         */
        private void stop() {
            try {
                abandonAll();
                BufferWaiter waiting = waiter;
                if (waiting != null) {
                    waiting.abandon();
                }
            } finally {
                endSource();
            }
        }

        private void endSource() {
            try {
                if (!sourceEnded) {
                    source().cancel();
                }
            } finally {
                drain();
            }
        }

        private void drain() {
            if (wip.getAndIncrement() == 0) {
                drainHeld();
            }
        }

        private void drainHeld() {
            int missed = 1;
            do {
                try {
                    if (!sendAll()) {
                        return; // another thread drains now
                    }
                } catch (Throwable e) { // stack or memory is exhausted, or the subscriber throws
                    endDuringDrain(e);
                }
                missed = wip.addAndGet(-missed);
            } while (missed != 0);
            if (change.get() != 0) {
                demand.delivered(change.getAndSet(0));
            }
        }

        /** Ends the stream during a drain. The drain continues: ending the stream requests another pass. */
        private void endDuringDrain(Throwable error) {
            try {
                if (end(error)) {
                    return;
                }
            } catch (Throwable e) { // the subscriber threw, but was notified
                Operators.onErrorDropped(e, currentContext());
                return;
            }
            Operators.onErrorDropped(error, currentContext());
        }

        /**
         * Encodes and submits the waiting items (draining thread).
         *
         * @return false if another thread continues the drain
         */
        private boolean sendAll() {
            T item;
            while (!ended.get() && (item = items.peek()) != null) {
                try {
                    RegisteredBuffer buffer = bufferFor(item);
                    if (buffer != null) {
                        sendFirst(item, buffer);
                        continue;
                    }
                    if (needed == 0) {
                        break; // the thread that hands a buffer over drains
                    }
                    if (inSeparateMemory() >= endpoint.options().maxMessagesInFlight()) {
                        break; // the end of one drains
                    }
                    if (endpoint.loop().isLoopThread()
                            || !Thread.currentThread().isVirtual()) {
                        Thread.ofVirtual().name("rdma-send").start(this::drainHeld);
                        return false;
                    }
                    sendLarge(needed);
                } catch (Throwable e) { // the encoder is application code
                    end(OperatorErrors.of(upstream, e, item, currentContext()));
                }
            }
            flushIfDue();
            closeSpare();
            if (ended.get()) {
                RegisteredBuffer unused = handed;
                if (unused != null) { // else a buffer that is handed over now causes another pass
                    handed = null;
                    unused.close();
                }
                Operators.onDiscardQueueWithClear(items, currentContext(), null);
            }
            return true;
        }

        /**
         * Flushes what was added, unless more is likely to join it before the requests before it have ended. Their ends
         * come here again.
         */
        private void flushIfDue() {
            if (hasOpenBatch() && (isIdle() || ended.get() || sourceEnded || requester == null && !isBusy())) {
                try {
                    flush();
                } catch (Throwable e) {
                    end(OperatorErrors.of(upstream, e, null, currentContext()));
                }
            }
        }

        private void closeSpare() {
            RegisteredBuffer unused = spare;
            if (unused != null) {
                spare = null;
                unused.close();
            }
        }

        /** Returns a buffer for the first item that waits; null if there is none, or if it needs larger memory. */
        private @Nullable RegisteredBuffer bufferFor(T item) {
            if (needed == 0) {
                int length = encoder.length(item);
                needed = length > endpoint.sendBuffers().bufferSize() ? length : 0;
            }
            return needed > 0 ? null : buffer();
        }

        /**
         * Sends the first item of the queue. An item that needs larger memory stays there. Any other one leaves the
         * queue before it is sent: once it is delivered, the publisher may fill its place.
         */
        private void sendFirst(T item, RegisteredBuffer buffer) {
            boolean gone = true; // also if the encoder throws, because it has consumed the item
            try {
                gone = isEncoded(item, buffer);
            } finally {
                if (gone) {
                    items.poll();
                }
            }
            if (gone) {
                sendEncoded(buffer);
            }
        }

        /** Encodes an item. Returns false, with the buffer closed, if it has to be encoded again, in larger memory. */
        private boolean isEncoded(T item, RegisteredBuffer buffer) {
            try {
                needed = fit(encoder.encode(item, buffer.segment()), buffer);
            } catch (Throwable e) { // on any exception the buffer must be returned
                buffer.close();
                throw e;
            }
            if (needed > 0) {
                buffer.close();
            }
            return needed == 0;
        }

        private void sendEncoded(RegisteredBuffer buffer) {
            if (append(buffer)) {
                spare = buffer;
            } else {
                try {
                    StackRoom.require(StackRoom.SUBMIT); // for another SEND
                } catch (StackOverflowError e) {
                    buffer.close();
                    throw e;
                }
                spare = add(buffer);
            }
            adaptDemand();
        }

        /**
         * Demands more items once messages share SENDs, and fewer again when one does not: after the drain, because the
         * publisher may take any time for a request. Draining thread.
         */
        private void adaptDemand() {
            if (isSharing() != shares) {
                shares = !shares;
                change.addAndGet(shares ? more : -more);
            }
        }

        /**
         * Sends the first item in memory of its own. If no memory is available, the item stays in the queue, to
         * be discarded.
         */
        private void sendLarge(int length) {
            RegisteredBuffer own = endpoint.memory().allocateBuffer(length);
            T item = java.util.Objects.requireNonNull(items.poll());
            needed = 0;
            try {
                requireFilled(encoder.encode(item, own.segment()), own);
            } catch (Throwable e) {
                own.close();
                throw e;
            }
            send(own);
        }

        private @Nullable RegisteredBuffer buffer() {
            RegisteredBuffer kept = spare;
            if (kept != null) {
                spare = null;
                return kept;
            }
            BufferWaiter asked = waiter; // read before `handed`, which is set before this is cleared
            RegisteredBuffer buffer = handed;
            if (buffer != null) {
                handed = null;
                return buffer;
            }
            if (asked != null) {
                return null;
            }
            buffer = endpoint.sendBuffers().tryAcquireExclusive();
            if (buffer == null) {
                BufferWaiter waiting = new Waiting();
                waiter = waiting;
                endpoint.sendBuffers().acquire(waiting);
                if (ended.get()) { // stop() may have missed it
                    waiting.abandon();
                }
            }
            return buffer;
        }

        @Override
        public String stepName() {
            return StepNames.SEND_STREAM;
        }

        @Override
        @SuppressWarnings("rawtypes") // Scannable's signature
        public @Nullable Object scanUnsafe(Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            }
            if (key == Attr.PARENT) {
                return upstream;
            }
            if (key == Attr.TERMINATED) {
                return ended.get() && !cancelled;
            }
            if (key == Attr.CANCELLED) {
                return cancelled;
            }
            if (key == Attr.BUFFERED) {
                return items.size();
            }
            return key == Attr.PREFETCH ? most : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }

        /** Waiter for a buffer of the pool. */
        private final class Waiting extends BufferWaiter {
            Waiting() {
                super(true);
            }

            @Override
            public void acquired(RegisteredBuffer buffer) {
                handed = buffer;
                waiter = null;
                drain();
            }

            @Override
            public void failed(RuntimeException error) {
                waiter = null;
                end(error);
            }
        }
    }
}
