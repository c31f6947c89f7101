package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.RemoteMemory;
import org.junit.jupiter.api.Test;

class PostedRingTest {
    private static final class Posted extends Operation {
        Posted() {
            super(WorkRequest.fetchAndAdd(new RemoteMemory(8, 8, 1), 1));
            assertThat(markPostedAtOnce()).isTrue();
        }

        @Override
        protected void completed(long value) {}

        @Override
        protected void failed(RuntimeException error) {}
    }

    private final PostedRing ring = new PostedRing(4);

    private Operation post() {
        Operation operation = new Posted();
        ring.put(ring.take(), operation, true);
        ring.posted();
        return operation;
    }

    private void retireUpTo(int last, Operation... operations) {
        ring.endingUpTo(last);
        for (Operation operation : operations) {
            assertThat(ring.at(ring.oldest())).isSameAs(operation);
            ring.retire(true);
        }
    }

    @Test
    void requestsRetireInOrderAroundTheEnd() {
        retireUpTo(2, post(), post(), post());
        retireUpTo(1, post(), post(), post());
        assertThat(ring.oldest()).isEqualTo(2);
        assertThat(ring.retired()).isEqualTo(6);
        assertThat(ring.inFlight() + ring.readsInFlight()).isZero();
        retireUpTo(1, post(), post(), post(), post());
        assertThat(ring.inFlight()).as("a full ring ends with one completion").isZero();
    }

    @Test
    void aCompletionThatComesTwiceEndsNoRequestBehindIt() {
        retireUpTo(0, post());
        Operation next = post();
        assertThatThrownBy(() -> ring.endingUpTo(0))
                .as("the ring would be retired once around")
                .isInstanceOf(IllegalStateException.class);
        assertThat(next.isDone()).isFalse();
        assertThat(ring.inFlight()).isOne();
        retireUpTo(1, next);
    }

    @Test
    void aRefusedRequestIsTakenBack() {
        Operation first = post();
        Operation refused = post();
        assertThat(ring.takeBack()).isSameAs(refused);
        assertThat(ring.inFlight()).isOne();
        assertThat(ring.readsInFlight()).isOne();
        retireUpTo(0, first);
        assertThat(ring.inFlight()).isZero();
    }
}
