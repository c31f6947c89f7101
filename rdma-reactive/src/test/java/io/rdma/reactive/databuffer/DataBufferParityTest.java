package io.rdma.reactive.databuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.rdma.buffer.ReceivedMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;

/**
 * Parity test of a data buffer over a message with Spring's data buffer over ordinary memory: the same operations have
 * the same results and the same refusals.
 */
class DataBufferParityTest {
    private static final int SIZE = 200;

    @RepeatedTest(40)
    void theSameOperationsHaveTheSameResults(RepetitionInfo repetition) {
        byte[] content = new byte[SIZE];
        new Random(repetition.getCurrentRepetition()).nextBytes(content);
        AtomicInteger closed = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            DataBuffer rdmaBuffer = RdmaDataBuffers.wrap(message(arena, content, closed));
            DataBuffer nettyBuffer =
                    new NettyDataBufferFactory(ByteBufAllocator.DEFAULT).wrap(Unpooled.wrappedBuffer(content.clone()));
            List<String> expected = play(nettyBuffer, new Random(repetition.getCurrentRepetition()));
            assertThat(play(rdmaBuffer, new Random(repetition.getCurrentRepetition())))
                    .isEqualTo(expected);
            assertThat(closed).hasValue(1);
        }
    }

    private static ReceivedMessage message(Arena arena, byte[] content, AtomicInteger closed) {
        MemorySegment memory = arena.allocate(content.length);
        memory.copyFrom(MemorySegment.ofArray(content));
        return new ReceivedMessage(memory, false, 0, place -> closed.incrementAndGet(), 0);
    }

    /** Returns the results of a hundred operations on the buffer and on the parts that were split off. */
    private static List<String> play(DataBuffer buffer, Random random) {
        List<String> results = new ArrayList<>();
        List<DataBuffer> parts = new ArrayList<>(List.of(buffer));
        for (int i = 0; i < 100; i++) {
            DataBuffer one = parts.get(random.nextInt(parts.size()));
            int operation = random.nextInt(13);
            int n = random.nextInt(40) - 2;
            String result;
            try {
                result = String.valueOf(apply(one, operation, n, parts));
            } catch (IndexOutOfBoundsException e) {
                result = "out of bounds";
            } catch (IllegalArgumentException e) {
                result = "illegal";
            }
            results.add(operation + "(" + n + ") = " + result + " at " + one.readPosition() + ", " + one.writePosition()
                    + " of " + one.capacity());
        }
        parts.forEach(DataBufferUtils::release);
        return results;
    }

    private static Object apply(DataBuffer buffer, int operation, int n, List<DataBuffer> parts) {
        return switch (operation) {
            case 0 -> buffer.read();
            case 1 -> {
                byte[] to = new byte[Math.max(0, n)];
                buffer.read(to);
                yield hash(to);
            }
            case 2 -> buffer.readPosition(n).readableByteCount();
            case 3 -> buffer.getByte(n);
            case 4 -> buffer.indexOf(b -> b == n, n);
            case 5 -> buffer.lastIndexOf(b -> b > n, Math.max(0, buffer.writePosition() - 1));
            case 6 -> buffer.toString(StandardCharsets.ISO_8859_1).hashCode();
            case 7 -> {
                ByteBuffer copy = ByteBuffer.allocate(buffer.readableByteCount());
                buffer.toByteBuffer(copy);
                yield hash(copy.array());
            }
            case 8 -> {
                StringBuilder all = new StringBuilder();
                try (DataBuffer.ByteBufferIterator buffers = buffer.readableByteBuffers()) {
                    buffers.forEachRemaining(part -> {
                        byte[] bytes = new byte[part.remaining()];
                        part.get(bytes);
                        all.append(hash(bytes)).append(part.isReadOnly());
                    });
                }
                yield all;
            }
            case 9 -> {
                try (InputStream stream = buffer.asInputStream()) {
                    yield hash(stream.readNBytes(Math.max(0, n)));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            case 10 -> {
                if (buffer.capacity() < 20 || n < 1 || n >= buffer.capacity()) {
                    yield "too small to be split";
                }
                DataBuffer front = buffer.split(n);
                parts.add(front);
                yield front.readPosition() + " " + front.writePosition() + " " + front.capacity();
            }
            case 11 -> {
                int room = Math.max(0, Math.min(n, buffer.writableByteCount()));
                yield buffer.write(new byte[room]).writePosition();
            }
            default ->
                buffer.writePosition(Math.max(buffer.readPosition(), buffer.writePosition() - Math.max(0, n)))
                        .readableByteCount();
        };
    }

    private static String hash(byte[] bytes) {
        return bytes.length + ":" + java.util.Arrays.hashCode(bytes);
    }

    /** Checks that the memory is the message's: the buffer shows what is written to the message. */
    @Test
    void nothingIsCopied() {
        AtomicInteger closed = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            ReceivedMessage message = message(arena, new byte[SIZE], closed);
            DataBuffer buffer = RdmaDataBuffers.wrap(message);
            message.segment().set(java.lang.foreign.ValueLayout.JAVA_BYTE, 7, (byte) 42);
            assertThat(buffer.getByte(7)).isEqualTo((byte) 42);
            try (DataBuffer.ByteBufferIterator buffers = buffer.readableByteBuffers()) {
                assertThat(MemorySegment.ofBuffer(buffers.next()).address())
                        .isEqualTo(message.segment().address());
            }
            DataBufferUtils.release(buffer);
        }
        assertThat(closed).hasValue(1);
    }
}
