package io.rdma.internal.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        return write(payload, psn, length, 0);
    }

    private boolean write(MemorySegment payload, int psn, int length, int mtu) {
        out.reset(Opcode.SEND_ONLY, QPN, psn & 0xffffff);
        out.mtu = mtu;
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
        byte[] bytes = new byte[Packet.LONGEST_JOINED];
        new Random(5).nextBytes(bytes);
        MemorySegment payload = arena.allocate(bytes.length, 8);
        payload.copyFrom(MemorySegment.ofArray(bytes));
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
    void joinedPacketsOfAllSizesCrossTheEndOfTheRing() {
        MemorySegment payload = random();
        Random random = new Random(7);
        long bytes = 0;
        for (int psn = 0; bytes < 9L * Ring.CAPACITY; psn++) {
            int length = random.nextInt(Packet.LONGEST_JOINED + 1);
            int mtu = random.nextInt(4) == 0 && length <= 4096 ? 0 : 256 << random.nextInt(5);
            assertThat(write(payload, psn, length, mtu)).isTrue();
            assertReads(payload, psn, length);
            assertThat(in.mtu).isEqualTo(mtu);
            bytes += length;
        }
        assertThat(reader.read(in)).isFalse();
        assertThat(reader.isBroken()).isFalse();
    }

    /** A ring that has no room for a long packet has some for acknowledges. */
    @Test
    void shortPacketsFitWhereALongOneDoesNot() {
        MemorySegment payload = random();
        int psn = 0;
        while (write(payload, psn, Packet.LONGEST_JOINED, 4096)) {
            psn++;
        }
        assertThat(psn).isBetween(Ring.CAPACITY / Packet.LONGEST_JOINED - 2, Ring.CAPACITY / Packet.LONGEST_JOINED);
        assertThat(write(payload, psn, 0)).isTrue();
        for (int i = 0; i < psn; i++) {
            assertReads(payload, i, Packet.LONGEST_JOINED);
        }
        assertReads(payload, psn, 0);
    }

    /** The other process may write any path MTU, also for a packet that is none of a reliable queue pair. */
    @ParameterizedTest
    @CsvSource({"-1, 0", "1, 0", "128, 0", "1000, 0", "8192, 0", "-2147483648, 0", "1024, 1", "1024, 3"})
    void pathMtuThatNoWriterWritesBreaksTheRing(int mtu, int transport) {
        out.reset(Opcode.SEND_ONLY, QPN, 1);
        out.transport = transport;
        assertThat(writer.write(out)).isTrue();
        new Ring(memory).mtu(0, mtu);
        assertThat(reader.read(in)).isFalse();
        assertThat(reader.isBroken()).isTrue();
    }

    @Test
    void packetThatIsLongAndNotJoinedBreaksTheRing() {
        write(random(), 1, 4100);
        assertThat(reader.read(in)).isFalse();
        assertThat(reader.isBroken()).isTrue();
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
