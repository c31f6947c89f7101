package io.rdma.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests that a server processes: which are refused, and when a stopped server is idle. */
class ActiveCallsTest {
    private final AtomicInteger idle = new AtomicInteger();
    private final ActiveCalls<String> active = new ActiveCalls<>(2, 3, idle::incrementAndGet);

    @Test
    void requestsBeyondTheBoundAndOfAUsedNumberAreRefused() {
        active.begin(1, "one");
        assertThatThrownBy(() -> active.begin(1, "again")).hasMessageContaining("a request with the number 1");
        active.begin(2, "two");
        assertThatThrownBy(() -> active.begin(3, "three")).hasMessageContaining("2 requests");
        assertThat(active.get(1)).isEqualTo("one");
        active.end(1);
        active.begin(3, "three");
        assertThat(active.all()).containsExactlyInAnyOrder("two", "three");
    }

    /** The client has an answer, and may send the next request, before its delivery is reported here. */
    @Test
    void aRequestLeavesTheBoundWhenItsAnswerIsHandedToTheConnection() {
        active.begin(1, "one");
        active.begin(2, "two");
        active.answering(1);
        active.answering(1); // changes nothing
        active.begin(3, "three");
        assertThatThrownBy(() -> active.begin(4, "four")).hasMessageContaining("2 requests");
        active.end(1);
        assertThatThrownBy(() -> active.begin(4, "four")).hasMessageContaining("2 requests");
        active.answering(1); // behind its end
        active.answering(2);
        active.begin(4, "four");
        active.stop();
        active.end(2);
        active.end(3);
        assertThat(idle).hasValue(0);
        active.end(4);
        assertThat(idle).hasValue(1);
    }

    @Test
    void aClientThatTakesNoAnswersIsRefused() {
        for (int id = 1; id <= 5; id++) {
            active.begin(id, "request");
            active.answering(id);
        }
        assertThatThrownBy(() -> active.begin(6, "one more")).hasMessageContaining("2 requests");
        active.end(3);
        active.begin(6, "one more");
    }

    @Test
    void aStoppedServerIsIdleOnceWhenItsLastRequestHasEnded() {
        active.begin(1, "one");
        active.stop();
        assertThatThrownBy(() -> active.begin(2, "two")).hasMessageContaining("being stopped");
        assertThat(idle).hasValue(0);
        active.end(1);
        active.end(1);
        active.stop();
        assertThat(idle).hasValue(1);
    }

    @Test
    void aStoppedServerWithoutRequestsIsIdleAtOnce() {
        active.stop();
        assertThat(idle).hasValue(1);
    }
}
