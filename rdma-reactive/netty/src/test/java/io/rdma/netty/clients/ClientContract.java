package io.rdma.netty.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rdma.netty.RdmaIoHandler;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.testing.TestDevice;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Event loops over a device, for a program that is written for Netty. They take no channels of TCP, so a program that
 * works on them works over RDMA.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class ClientContract {
    /** Bound of every wait. */
    static final Duration BOUND = Duration.ofSeconds(60);

    /** Address of servers. */
    static final String HOST = "127.0.0.1";

    private @Nullable EventLoopGroup loops;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns options of event loops on the device. */
    RdmaIoOptions options() {
        return RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed(device()));
    }

    @BeforeAll
    void open() {
        loops = new MultiThreadIoEventLoopGroup(
                2, new DefaultThreadFactory("clients", true), RdmaIoHandler.newFactory(options()));
    }

    @AfterAll
    void close() {
        if (loops != null) {
            assertThat(loops.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(60, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** Returns the event loops. */
    EventLoopGroup loops() {
        assertThat(loops).isNotNull();
        return loops;
    }
}
