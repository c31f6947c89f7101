package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.testing.FreeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Largest possible message. It fills 2 GiB of memory, and is skipped on a machine that has less. */
abstract class LargestMessageContract extends ConnectedContract {
    private static final int GIBIBYTE = 1 << 30;
    private static final int QUARTER = GIBIBYTE / 4;
    private static final int STEP = 509; // longs: one in every page, at a different offset in each

    private static void fill(MemorySegment memory) {
        for (long i = 0; i < memory.byteSize() / Long.BYTES; i += STEP) {
            memory.setAtIndex(ValueLayout.JAVA_LONG, i, i);
        }
    }

    private static boolean isFilled(MemorySegment memory) {
        for (long i = 0; i < memory.byteSize() / Long.BYTES; i += STEP) {
            if (memory.getAtIndex(ValueLayout.JAVA_LONG, i) != i) {
                return false;
            }
        }
        return true;
    }

    @Test
    void aGibibyteArrivesWhole() {
        FreeMemory.assume(2L * GIBIBYTE);
        connect(small().withRnrRetry(rnrRetry()).withMaxMessageSize(GIBIBYTE));
        sendWhole(client.memory().allocateBuffer(GIBIBYTE));
    }

    /** A part is enough: once it is registered, memory of the application is like memory of the connection. */
    @Test
    void aPartOfThatArrivesWholeFromTheApplication() {
        FreeMemory.assume(2L * QUARTER);
        connect(small().withRnrRetry(rnrRetry()).withMaxMessageSize(GIBIBYTE));
        try (Arena arena = Arena.ofShared()) {
            sendWhole(client.memory().register(arena.allocate(QUARTER, 4096)));
        }
    }

    private void sendWhole(RegisteredBuffer buffer) {
        int length = buffer.capacity();
        fill(buffer.segment());
        Counted sent = submit(client, WorkRequest.send(buffer, true));
        ReceivedMessage[] message = new ReceivedMessage[1];
        await().atMost(PATIENCE.multipliedBy(5))
                .until(() -> (message[0] = server.receives().poll()) != null);
        try (ReceivedMessage here = message[0]) {
            assertThat(here.length()).isEqualTo(length);
            assertThat(isFilled(here.segment())).isTrue();
        }
        assertThat(sent.ended().error).isNull();
        client.close(); // else the cache keeps the memory of an arena
        client.closed().join();
        client.registrations().close();
    }

    @Test
    void moreThanAMessageMayHaveIsRefusedByItsLength() {
        connect(small().withMaxMessageSize(GIBIBYTE));
        assertThatThrownBy(() -> client.memory().allocateBuffer(GIBIBYTE + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
        MemorySegment large = MemorySegment.ofAddress(1 << 20).reinterpret(3L * GIBIBYTE); // refused before it is used
        assertThatThrownBy(() -> client.memory().register(large))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 2 GiB - 1");
        assertThatThrownBy(() -> small().withMaxMessageSize(GIBIBYTE + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
    }
}
