package io.rdma.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests of a client: their order, their bound and their end. */
class CallTableTest {
    private static final class Recorded implements CallTable.Call {
        private final List<String> events = new ArrayList<>();
        private int id;

        @Override
        public void admitted(int number) {
            id = number;
            events.add("admitted");
        }

        @Override
        public void failed(RuntimeException failure) {
            events.add(String.valueOf(failure.getMessage()));
        }
    }

    private final CallTable<Recorded> table = new CallTable<>(2);

    private Recorded submitted() {
        Recorded call = new Recorded();
        table.submit(call);
        return call;
    }

    @Test
    void callsWaitInOrderForRoom() {
        Recorded first = submitted();
        Recorded second = submitted();
        Recorded third = submitted();
        Recorded fourth = submitted();
        assertThat(second.events).containsExactly("admitted");
        assertThat(third.events).isEmpty();
        assertThat(table.answered(first.id)).isSameAs(first);
        assertThat(third.events).containsExactly("admitted");
        assertThat(fourth.events).isEmpty();
        assertThat(table.inFlight()).isEqualTo(2);
    }

    @Test
    void aSecondAnswerIsNobodys() {
        Recorded call = submitted();
        assertThat(table.answered(call.id)).isSameAs(call);
        assertThat(table.answered(call.id)).isNull();
        assertThat(table.answered(0)).isNull();
    }

    @Test
    void onlyACallThatWaitsIsWithdrawn() {
        Recorded first = submitted();
        submitted();
        Recorded third = submitted();
        assertThat(table.withdraw(first)).isFalse();
        assertThat(table.withdraw(third)).isTrue();
        table.answered(first.id);
        assertThat(third.events).isEmpty();
    }

    @Test
    void theEndFailsAllCallsOnce() {
        Recorded first = submitted();
        submitted();
        Recorded third = submitted();
        table.end(new IllegalStateException("over"));
        table.end(new IllegalStateException("again"));
        assertThat(first.events).containsExactly("admitted", "over");
        assertThat(third.events).containsExactly("over");
        assertThat(submitted().events).containsExactly("over");
        assertThat(table.answered(first.id)).isNull();
    }

    /** A client that was replaced gets no answer of the other's calls. */
    @Test
    void numbersAreNotUsedAgainByAnotherClient() {
        Recorded call = submitted();
        CallTable<Recorded> other = new CallTable<>(1);
        Recorded later = new Recorded();
        other.submit(later);
        assertThat(other.answered(call.id)).isNull();
        assertThat(later.id).isNotEqualTo(call.id);
    }

    @Test
    void theBoundHoldsAmongThreads() throws InterruptedException {
        int calls = 2_000;
        CountDownLatch answered = new CountDownLatch(calls);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger inFlight = new AtomicInteger();
        Queue<Integer> sent = new ConcurrentLinkedQueue<>();
        CallTable<CallTable.Call> shared = new CallTable<>(3);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int call = 0; call < calls / 4; call++) {
                    shared.submit(new CallTable.Call() {
                        @Override
                        public void admitted(int id) {
                            most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                            sent.add(id);
                        }

                        @Override
                        public void failed(RuntimeException failure) {
                            throw failure;
                        }
                    });
                    Integer id = sent.poll();
                    if (id != null) {
                        inFlight.decrementAndGet();
                        shared.answered(id);
                        answered.countDown();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Integer id = sent.poll(); id != null; id = sent.poll()) {
            inFlight.decrementAndGet();
            shared.answered(id);
            answered.countDown();
        }
        assertThat(answered.await(0, TimeUnit.SECONDS)).isTrue();
        assertThat(most.get()).isBetween(1, 3);
        assertThat(shared.inFlight()).isZero();
    }
}
