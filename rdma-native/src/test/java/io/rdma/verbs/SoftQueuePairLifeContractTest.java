package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkRequestOpcode;
import org.junit.jupiter.api.Test;

class SoftQueuePairLifeContractTest extends QueuePairLifeContract {
    @Override
    String device() {
        return "soft0";
    }

    @Test
    void aQueuePairInSqdDrainsUntilStartedRequestsEnd() {
        pair.connect();
        pair.receive(pair.b, pair.memoryB, 6, 64);
        for (int wrId : new int[] {0, 1}) {
            pair.request(wrId, WorkRequestOpcode.SEND);
            pair.fromA(64);
        }
        pair.post(pair.a);
        // The second request was started before the first was acknowledged, and is sent again until there is a receive.
        pair.succeeds(pair.queueA, 0);
        pair.succeeds(pair.queueB, 6);
        try (AsyncEvents events = pair.context.asyncEvents()) {
            pair.a.modify(QueuePairAttributes.toState(QueuePairState.SQD).enSqdAsyncNotify(true));
            assertThat(pair.a.query().sqDraining()).isTrue();
            assertThatThrownBy(() -> pair.a.modify(QueuePairAttributes.toState(QueuePairState.RTS)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("still draining");
            assertThat(events.await(0)).isFalse();
            pair.receive(pair.b, pair.memoryB, 7, 64);
            pair.succeeds(pair.queueB, 7);
            awaitDrained(events);
            pair.succeeds(pair.queueA, 1);
            pair.a.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        }
    }
}
