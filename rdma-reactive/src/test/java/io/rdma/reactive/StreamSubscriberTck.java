package io.rdma.reactive;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import reactor.core.publisher.BaseSubscriber;

/** TCK of Reactive Streams for the subscriber of {@code send(publisher, encoder)}. */
public abstract class StreamSubscriberTck extends SubscriberWhiteboxVerification<Integer> {
    private TckPair pair;

    StreamSubscriberTck() {
        super(TckPair.environment());
    }

    /** Returns the encoder that makes a message of an element. */
    abstract MessageEncoder<Integer> encoder();

    @BeforeClass
    public void open() {
        pair = new TckPair();
    }

    @AfterClass
    public void close() {
        pair.close();
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }

    @Override
    public Subscriber<Integer> createSubscriber(WhiteboxSubscriberProbe<Integer> probe) {
        TckPair.Ends ends = pair.connect();
        ends.server().receive(message -> message.length()).subscribe(length -> {}, lost -> {});
        AtomicReference<Subscriber<? super Integer>> subscriber = new AtomicReference<>();
        Downstream downstream = new Downstream();
        Publisher<Integer> source = actual -> subscriber.set(actual);
        ends.client().send(source, encoder()).subscribe(downstream);
        return new Probed(Objects.requireNonNull(subscriber.get()), downstream, probe);
    }

    /** Subscriber to the stream's end, which it requests when the TCK asks for demand. */
    private static final class Downstream extends BaseSubscriber<Void> {
        boolean isSubscribed() {
            return upstream() != null;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {}

        @Override
        protected void hookOnError(Throwable error) {}
    }

    /** The subscriber under test, which reports each signal to the TCK. */
    private record Probed(
            Subscriber<? super Integer> subscriber, Downstream downstream, WhiteboxSubscriberProbe<Integer> probe)
            implements Subscriber<Integer>, SubscriberPuppet {
        @Override
        public void onSubscribe(Subscription subscription) {
            boolean first = !downstream.isSubscribed();
            subscriber.onSubscribe(subscription);
            if (first) {
                probe.registerOnSubscribe(this);
            }
        }

        @Override
        public void onNext(Integer element) {
            subscriber.onNext(element);
            probe.registerOnNext(element);
        }

        @Override
        public void onError(Throwable error) {
            subscriber.onError(error);
            probe.registerOnError(error);
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
            probe.registerOnComplete();
        }

        @Override
        public void triggerRequest(long elements) {
            downstream.request(elements);
        }

        @Override
        public void signalCancel() {
            downstream.cancel();
        }
    }
}
