package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rdma.engine.ResourceOptions;
import io.rdma.types.VerbsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Event loops whose device fails while it is opened: the failure is thrown, and nothing stays open. */
abstract class FailedOpenContract {
    /** Returns the name of the device. */
    abstract String device();

    /** The last calls come when the completion loop is made, which nothing drives yet. */
    @ParameterizedTest
    @ValueSource(strings = {"openDevice", "allocPd", "createCompChannel", "createCq", "createSrq", "regMr"})
    void failureIsThrownAndTheDeviceIsClosed(String call) {
        RefusingDevice refusing = new RefusingDevice(device());
        refusing.refuse(call);
        assertThat(CompletableFuture.supplyAsync(() -> group(refusing), Thread::startVirtualThread))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(VerbsException.class)
                .withMessageContaining(call);
        await().atMost(PATIENCE).until(() -> refusing.open.get() == 0);
        refusing.relent();
        EventLoopGroup second = group(refusing);
        assertThat(refusing.open.get()).isEqualTo(1);
        await(second.shutdownGracefully(0, PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertThat(refusing.open.get()).isZero();
    }

    private static EventLoopGroup group(RefusingDevice device) {
        return new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory("refused", true),
                RdmaIoHandler.newFactory(RdmaIoOptions.DEFAULT
                        .withDevice(device.device())
                        .withResources(ResourceOptions.DEFAULT.withSharedReceiveBuffers(16, 256))));
    }
}
