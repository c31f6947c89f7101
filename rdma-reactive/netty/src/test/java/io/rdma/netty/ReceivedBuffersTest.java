package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.rdma.buffer.MessageLender;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With paranoid leak detection each message has a handle of its own, so that no buffer is used again. */
@Tag("lent")
class ReceivedBuffersTest {
    private static final int SIZE = 64;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(SIZE);
    private final List<Integer> givenBack = new ArrayList<>();
    private final ReceivedBuffers buffers = new ReceivedBuffers(2); // fewer than the places of shared receive buffers
    private final MessageLender lender = new MessageLender(givenBack::add, 3);

    @BeforeEach
    void fill() {
        for (int i = 0; i < SIZE; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private ByteBuf received(int length) {
        return buffers.take(lender.lend(memory, length, false, false, 0), UnpooledByteBufAllocator.DEFAULT);
    }

    /** Returns the buffer behind the one of the leak detector. */
    private static ByteBuf inner(ByteBuf buffer) {
        ByteBuf behind = buffer.unwrap();
        return behind == null ? buffer : behind;
    }

    private static void assumeHandlesAreUsedAgain() {
        assumeFalse("paranoid".equals(System.getProperty("io.rdma.leakDetection")));
    }

    private static void assertHolds(ByteBuf buffer, int length) {
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.readableBytes()).isEqualTo(length);
        assertThat(buffer.capacity()).isEqualTo(length);
        for (int i = 0; i < length; i++) {
            assertThat(buffer.getByte(i)).isEqualTo((byte) i);
        }
    }

    @Test
    void eachMessageIsGivenBackOnceByTheLastRelease() {
        for (int length : new int[] {10, 5, 20, 20, 1}) {
            ByteBuf buffer = received(length);
            assertHolds(buffer, length);
            buffer.readByte();
            ByteBuf slice = buffer.retainedSlice(0, 1);
            buffer.release();
            assertThat(givenBack).isEmpty();
            slice.release();
            assertThat(givenBack).containsExactly(3);
            givenBack.clear();
        }
    }

    @Test
    void aBufferIsUsedAgainForAMessageThatFits() {
        assumeHandlesAreUsedAgain();
        ByteBuf first = received(10);
        first.release();
        ByteBuf shorter = received(5);
        assertThat(inner(shorter)).isSameAs(inner(first));
        assertHolds(shorter, 5);
        shorter.release();
        ByteBuf longer = received(11);
        assertThat(inner(longer)).isNotSameAs(inner(first));
        assertHolds(longer, 11);
        longer.release();
        ByteBuf last = received(10);
        assertThat(inner(last)).isSameAs(inner(longer));
        last.release();
        assertThat(givenBack).hasSize(4);
    }

    @Test
    void aBufferIsNotUsedForAMessageOfAnotherPlace() {
        assumeHandlesAreUsedAgain();
        MessageLender sameTurn = new MessageLender(givenBack::add, 1);
        ByteBuf first = received(10);
        first.release();
        ByteBuf second = buffers.take(sameTurn.lend(memory, 10, false, false, 0), UnpooledByteBufAllocator.DEFAULT);
        assertThat(inner(second)).isNotSameAs(inner(first));
        assertHolds(second, 10);
        second.release();
        assertThat(givenBack).containsExactly(3, 1);
    }

    @Test
    void aBufferThatOutgrowsItsMemoryGivesThatBackAtOnceAndIsNotUsedAgain() {
        assumeHandlesAreUsedAgain();
        received(20).release();
        givenBack.clear();
        ByteBuf buffer = received(10);
        buffer.capacity(20);
        assertThat(givenBack).as("the memory has room for that").isEmpty();
        buffer.capacity(SIZE + 1);
        assertThat(givenBack).containsExactly(3);
        memory.fill((byte) -1); // another message
        assertThat(buffer.readableBytes()).isEqualTo(10);
        for (int i = 0; i < 10; i++) {
            assertThat(buffer.getByte(i)).isEqualTo((byte) i);
        }
        fill();
        ByteBuf next = received(10);
        assertThat(inner(next)).isNotSameAs(inner(buffer));
        buffer.release();
        assertThat(givenBack).hasSize(1);
        assertHolds(next, 10);
        next.release();
        assertThat(givenBack).hasSize(2);
    }
}
