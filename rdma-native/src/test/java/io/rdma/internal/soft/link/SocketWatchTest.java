package io.rdma.internal.soft.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who watches the socket of a device. */
class SocketWatchTest {
    private final SocketWatch watch = new SocketWatch(true);

    @Test
    void thoseWhoPollWatchItWhilePacketsCome() {
        assertThat(watch.polled()).isFalse();
        watch.arrived();

        assertThat(watch.leaveToPollers()).isTrue();

        assertThat(watch.polled()).isTrue();
        watch.arrived();
        assertThat(watch.leaveToPollers()).isTrue();
    }

    @Test
    void theDeviceWatchesItOnASingleProcessor() {
        SocketWatch single = new SocketWatch(false);
        single.polled();
        single.arrived();

        assertThat(single.leaveToPollers()).isFalse();
    }

    @Test
    void theDeviceWatchesItWhenNobodyPolls() {
        watch.arrived();

        assertThat(watch.leaveToPollers()).isFalse();

        assertThat(watch.polled()).isFalse();
    }

    @Test
    void theDeviceWatchesItWhenNothingCame() {
        watch.polled();
        watch.arrived();
        watch.leaveToPollers();
        watch.polled();

        assertThat(watch.leaveToPollers()).isFalse();

        assertThat(watch.polled()).isFalse();
    }

    @Test
    void whoGoesToSleepWakesTheDeviceOnlyIfItReliesOnThat() {
        assertThat(watch.left()).isFalse();
        watch.polled();
        watch.arrived();
        watch.leaveToPollers();

        assertThat(watch.left()).isTrue();

        assertThat(watch.polled()).isFalse();
        assertThat(watch.left()).isFalse();
    }

    @Test
    void whoWentToSleepBeforeIsNotReliedOn() {
        watch.polled();
        watch.arrived();
        watch.left();

        assertThat(watch.leaveToPollers()).isFalse();
    }
}
