package io.rdma.internal.soft.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Choice of the threads that watch the socket of a device. */
class SocketWatchTest {
    private final SocketWatch watch = new SocketWatch(true);

    @Test
    void pollersWatchTheSocketWhilePacketsArrive() {
        assertThat(watch.polled()).isFalse();
        watch.arrived();

        assertThat(watch.leaveToPollers()).isTrue();

        assertThat(watch.polled()).isTrue();
        watch.arrived();
        assertThat(watch.leaveToPollers()).isTrue();
    }

    @Test
    void theDeviceWatchesTheSocketOnASingleProcessor() {
        SocketWatch single = new SocketWatch(false);
        single.polled();
        single.arrived();

        assertThat(single.leaveToPollers()).isFalse();
    }

    @Test
    void theDeviceWatchesTheSocketWhenNoThreadPolls() {
        watch.arrived();

        assertThat(watch.leaveToPollers()).isFalse();

        assertThat(watch.polled()).isFalse();
    }

    @Test
    void theDeviceWatchesTheSocketWhenNothingArrived() {
        watch.polled();
        watch.arrived();
        watch.leaveToPollers();
        watch.polled();

        assertThat(watch.leaveToPollers()).isFalse();

        assertThat(watch.polled()).isFalse();
    }

    @Test
    void aPollerThatSleepsWakesTheDeviceOnlyIfItReliesOnPollers() {
        assertThat(watch.left()).isFalse();
        watch.polled();
        watch.arrived();
        watch.leaveToPollers();

        assertThat(watch.left()).isTrue();

        assertThat(watch.polled()).isFalse();
        assertThat(watch.left()).isFalse();
    }

    @Test
    void theDeviceDoesNotRelyOnAPollerThatSleeps() {
        watch.polled();
        watch.arrived();
        watch.left();

        assertThat(watch.leaveToPollers()).isFalse();
    }
}
