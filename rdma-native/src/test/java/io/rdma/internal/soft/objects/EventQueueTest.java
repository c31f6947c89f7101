package io.rdma.internal.soft.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.environment.Environment;
import org.junit.jupiter.api.Test;

/** Events for later of a queue that several completion queues share. */
class EventQueueTest {
    private static final long FAR = Long.MAX_VALUE / 2;

    private final EventQueue<String> queue = new EventQueue<>(Environment.SYSTEM);

    @Test
    void anEventForLaterStaysOneWhenAnotherIsThere() {
        queue.addLater("moderated", FAR);
        queue.add("other");
        assertThat(queue.isLater("moderated")).isTrue();
        assertThat(queue.poll()).isEqualTo("other");
        assertThat(queue.poll()).isNull();
        queue.expedite("moderated");
        assertThat(queue.isLater("moderated")).isFalse();
        assertThat(queue.poll()).isEqualTo("moderated");
        assertThat(queue.poll()).isNull();
    }

    @Test
    void anEventWhoseTimeHasComeIsThere() {
        queue.addLater("due", 0);
        assertThat(queue.isLater("due")).isFalse();
        assertThat(queue.await(0)).isTrue();
        assertThat(queue.take()).isEqualTo("due");
    }

    @Test
    void aForgottenEventNeverComes() {
        queue.addLater("moderated", FAR);
        assertThat(queue.forget("moderated"::equals)).isEqualTo(1);
        queue.expedite("moderated");
        assertThat(queue.poll()).isNull();
    }
}
