package io.rdma.internal.soft.objects;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Callbacks of the connection manager, in the middle of a queue pair's use and end. */
class ManagerCallbacksTest {
    private final ManagerCallbacks callbacks = new ManagerCallbacks();
    private int runs;

    private void fail() {
        runs++;
        throw new OutOfMemoryError("unable to create native thread, on purpose");
    }

    @Test
    void aCallbackThatThrowsHarmsNothing() {
        callbacks.setOnUse(this::fail);
        callbacks.used();
        callbacks.used();
        assertThat(runs).isEqualTo(1);
        callbacks.setOnEnd(this::fail);
        callbacks.ended();
        callbacks.ended();
        assertThat(runs).isEqualTo(2);
    }

    @Test
    void nothingIsUsedAfterItsEnd() {
        callbacks.setOnUse(this::fail);
        callbacks.ended();
        callbacks.used();
        assertThat(runs).isZero();
    }
}
