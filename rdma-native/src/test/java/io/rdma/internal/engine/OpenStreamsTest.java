package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Streams that count when a close chooses its farewell. */
class OpenStreamsTest {
    private final AtomicBoolean closing = new AtomicBoolean();
    private final OpenStreams streams = new OpenStreams(closing::get);

    @Test
    void aStreamThatTheCloseEndsStillCounts() {
        streams.begun();
        closing.set(true);
        streams.ended();
        assertThat(streams.any()).isTrue();
    }

    /** Nothing of it was sent, so the farewell need not say that something was cut. */
    @Test
    void aStreamThatBeginsBehindTheCloseDoesNotCount() {
        closing.set(true);
        streams.begun();
        assertThat(streams.any()).isFalse();
        streams.ended();
        assertThat(streams.any()).isFalse();
    }
}
