package io.rdma.internal.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring whose two sides map the same memory. */
class RingTest {
    private static final int QPN = 77;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(Ring.BYTES, 4096);
    private final RingWriter writer = new RingWriter(new Ring(memory));
    private final RingReader reader = new RingReader(new Ring(memory));
    private final Packet out = new Packet();
    private final Packet in = new Packet();

    @AfterEach
    void free() {
        arena.close();
    }

    private boolean write(MemorySegment payload, int psn, int length) {
        out.reset(Opcode.SEND_ONLY, QPN, psn & 0xffffff);
        out.addPiece(payload.address(), length);
        return writer.write(out);
    }

    private void assertReads(MemorySegment payload, int psn, int length) {
        assertThat(reader.read(in)).isTrue();
        assertThat(in.psn).isEqualTo(psn & 0xffffff);
        assertThat(in.destQpn).isEqualTo(QPN);
        assertThat(in.payload).isEqualTo(length);
        MemorySegment copy = arena.allocate(Math.max(1, length));
        in.copyOut(0, copy.address(), length);
        assertThat(copy.asSlice(0, length).mismatch(payload.asSlice(0, length))).isEqualTo(-1);
    }

    private MemorySegment random() {
        MemorySegment payload = arena.allocate(4096, 8);
        new Random(5).ints(4096).forEach(i -> payload.set(ValueLayout.JAVA_BYTE, i & 4095, (byte) i));
        return payload;
    }

    @Test
    void packetsOfAllSizesCrossTheEndOfTheRing() {
        MemorySegment payload = random();
        Random random = new Random(7);
        long bytes = 0;
        for (int psn = 0; bytes < 3L * Ring.CAPACITY; psn++) {
            int length = random.nextInt(4097);
            assertThat(write(payload, psn, length)).isTrue();
            assertReads(payload, psn, length);
            bytes += length;
        }
        assertThat(reader.read(in)).isFalse();
        assertThat(reader.isBroken()).isFalse();
    }

    @Test
    void fullRingTakesNoMoreAndLosesNothingThatItTook() {
        MemorySegment payload = random();
        int taken = 0;
        while (write(payload, taken, 4096)) {
            taken++;
        }
        assertThat(taken).isBetween(Ring.CAPACITY / 4200 - 2, Ring.CAPACITY / 4096);
        for (int round = 0; round < 3; round++) {
            for (int psn = 0; psn < taken; psn++) {
                assertReads(payload, psn, 4096);
            }
            assertThat(reader.read(in)).isFalse();
            taken = 0;
            while (write(payload, taken, 4096)) {
                taken++;
            }
        }
    }

    @Test
    void readerInAnotherThreadGetsAllInOrder() throws Exception {
        int count = 200_000;
        MemorySegment payload = random();
        CompletableFuture<Integer> broken = CompletableFuture.supplyAsync(() -> {
            Random sizes = new Random(11);
            for (int psn = 0; psn < count; ) {
                if (reader.read(in)) {
                    int length = sizes.nextInt(300);
                    if (in.psn != (psn & 0xffffff) || in.payload != length) {
                        return psn;
                    }
                    psn++;
                }
            }
            return -1;
        });
        Random sizes = new Random(11);
        for (int psn = 0; psn < count; psn++) {
            int length = sizes.nextInt(300);
            while (!write(payload, psn, length)) {
                Thread.onSpinWait();
            }
        }
        assertThat(broken.get(60, TimeUnit.SECONDS)).isEqualTo(-1);
    }

    /** The other process may write any length, also one that is longer than what it has published. */
    @ParameterizedTest
    @ValueSource(ints = {0, -2, Integer.MIN_VALUE, Integer.MAX_VALUE, RingReader.LONGEST + 1, 4000, Ring.WRAP, 11})
    void lengthThatNoWriterWritesBreaksTheRing(int length) {
        write(random(), 1, 100);
        NativeMemory.putInt(new Ring(memory).address(), length);
        assertThat(reader.read(in)).isFalse();
        assertThat(reader.isBroken()).isTrue();
        assertThat(reader.read(in)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 4, Ring.CAPACITY + 8L, Long.MAX_VALUE, Long.MIN_VALUE})
    void endThatNoWriterPublishesBreaksTheRing(long tail) {
        new Ring(memory).publish(tail);
        assertThat(reader.read(in)).isFalse();
        assertThat(reader.isBroken()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE})
    void beginThatNoReaderReleasesGivesNoRoom(long head) {
        MemorySegment payload = random();
        while (write(payload, 1, 4096)) {
            // until it is full
        }
        new Ring(memory).release(head);
        int more = 0;
        while (more < 2 * Ring.CAPACITY / 4096 && write(payload, 1, 4096)) {
            more++;
        }
        assertThat(more).as("packets beyond those that the reader took").isZero();
    }

    @Test
    void readerThatSleepsIsWokenOnce() {
        assertThat(writer.wakes()).isFalse();
        reader.asleep(true);
        assertThat(writer.wakes()).isTrue();
        assertThat(writer.wakes()).isFalse();
        reader.asleep(true);
        reader.asleep(false);
        assertThat(writer.wakes()).isFalse();
    }
}
