package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.connect.DatagramBinding;
import io.rdma.testing.TestDevice;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections and datagrams whose memory is paged on demand. Skipped on a device that lacks that. */
abstract class OnDemandPoolContract extends ConnectedContract {
    private static final int LARGE = 100_000;

    @Override
    @BeforeEach
    void open() {
        TestDevice.onDemand(device()).close();
        super.open();
    }

    @Override
    ResourceOptions resourceOptions() {
        return super.resourceOptions().withOnDemand(true);
    }

    /** Returns how many pages the device has missed so far, or -1 if it does not count them. */
    abstract long faults();

    private void assertPaged(long before) {
        assertThat(before < 0 || faults() > before).as("pages were missing").isTrue();
    }

    private static ConnectionOptions options() {
        return small().withMaxMessageSize(LARGE);
    }

    private void pass(RegisteredBuffer buffer) {
        Counted sent = submit(client, WorkRequest.send(buffer, false));
        try (ReceivedMessage message = next(server.receives()::poll)) {
            assertThat(message.segment().mismatch(buffer.segment())).isEqualTo(-1);
        }
        assertThat(sent.ended().error).isNull();
    }

    @Test
    void messagesOfAnySizePass() {
        connect(options());
        long before = faults();
        for (int i = 0; i < 50; i++) {
            exchange(client, server);
            exchange(server, client);
        }
        assertPaged(before);
        long beforeLarge = faults();
        try (RegisteredBuffer buffer = client.memory().allocateBuffer(LARGE)) {
            buffer.segment().fill((byte) 7);
            pass(buffer);
        }
        assertPaged(beforeLarge);
    }

    @Test
    void memoryOfTheCacheIsSourceAndTarget() {
        connect(options());
        MemoryRegion there = everything(server, LARGE);
        RemoteMemory remote = there.remote();
        long before = faults();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * LARGE);
            try (RegisteredBuffer source =
                            client.memory().register(memory.asSlice(0, LARGE).fill((byte) 5));
                    RegisteredBuffer target = client.memory().register(memory.asSlice(LARGE))) {
                pass(source);
                assertThat(submit(client, WorkRequest.write(source, remote)).ended().error)
                        .isNull();
                assertThat(submit(client, WorkRequest.read(remote, target)).ended().error)
                        .isNull();
            }
            assertThat(memory.asSlice(0, LARGE).mismatch(memory.asSlice(LARGE))).isEqualTo(-1);
            client.registrations().invalidate(memory);
        }
        assertPaged(before);
        there.close();
    }

    @Test
    void severalBuffersAreOneLargeMessage() {
        connect(options());
        try (RegisteredBuffer one = acquire(client).limit(200);
                RegisteredBuffer other = acquire(client).limit(200)) {
            one.segment().fill((byte) 1);
            other.segment().fill((byte) 2);
            Counted sent = submit(
                    client, WorkRequest.several(WorkRequestOpcode.SEND, List.of(one, other), null, client.options()));
            assertNext(server, 400);
            assertThat(sent.ended().error).isNull();
        }
    }

    @Test
    void sharedReceivesArePagedToo() {
        shareReceives(32, 256);
        connect(options());
        long before = faults();
        for (int i = 0; i < 50; i++) {
            exchange(client, server);
        }
        assertPaged(before);
    }

    @Test
    void datagramsAreBound() {
        DatagramBinding bound =
                DatagramBinding.bind(resources, options(), new InetSocketAddress(TestDevice.host(device()), 0));
        bound.close();
        assertThat(bound.closed()).succeedsWithin(PATIENCE);
    }
}
