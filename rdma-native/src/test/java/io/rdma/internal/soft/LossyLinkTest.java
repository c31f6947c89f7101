package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.wire.SoftAddress;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two software devices that communicate over UDP, through links that lose, repeat and swap packets. All data must
 * arrive once, whole and in order.
 */
@Tag("link")
class LossyLinkTest {
    private static final int SIZE = SoftSide.SIZE;

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "0.02, 0, 0", "0, 0.1, 0", "0, 0, 0.05", "0.02, 0.05, 0.02"})
    void everythingArrivesOnceWholeAndInOrder(double loss, double duplicate, double reorder) {
        try (Arena arena = Arena.ofShared()) {
            SoftSide a = new SoftSide(arena, new SoftFaults(loss, duplicate, reorder, 1));
            SoftSide b = new SoftSide(arena, new SoftFaults(loss, duplicate, reorder, 2));
            a.connect(b);
            b.connect(a);
            byte[] random = new byte[SIZE];
            new Random(3).nextBytes(random);
            a.memory.copyFrom(MemorySegment.ofArray(random));

            a.send(1, Ibv.WR_RDMA_WRITE, b, 0, SIZE);
            a.expect(1);
            assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
            a.memory.fill((byte) 0);
            a.send(2, Ibv.WR_RDMA_READ, b, 0, SIZE);
            a.expect(2);
            assertThat(a.memory.mismatch(b.memory)).isEqualTo(-1);

            for (int i = 0; i < 100; i++) {
                b.receive(i, i * 1500L, 1500);
            }
            for (int i = 0; i < 100; i++) {
                a.send(i, Ibv.WR_SEND, b, i * 1500L, 1500);
                if (i % 10 == 9) {
                    for (int j = i - 9; j <= i; j++) {
                        a.expect(j);
                        b.expect(j);
                    }
                }
            }
            assertThat(b.memory.asSlice(0, 150_000).mismatch(a.memory.asSlice(0, 150_000)))
                    .isEqualTo(-1);

            b.memory.set(ValueLayout.JAVA_LONG, 0, 0);
            for (int i = 0; i < 200; i++) {
                a.send(i, Ibv.WR_ATOMIC_FETCH_AND_ADD, b, 8, 8);
                a.expect(i);
                // Each atomic happens exactly once and in order: a repeated request is answered from the replay store.
                assertThat(a.memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(i);
            }
            assertThat(b.memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(200);
            a.close();
            b.close();
        }
    }

    /**
     * Repeats reads and atomics, with as many of each in flight as agreed on. The repeats must not take room from fresh
     * requests, and must not displace the results that are kept for repeats.
     */
    @Test
    void repeatedRequestsTakeNothingFromFreshOnes() {
        try (Arena arena = Arena.ofShared()) {
            SoftFaults faults = new SoftFaults(0.02, 0.5, 0.1, 4);
            SoftSide a = new SoftSide(arena, faults);
            SoftSide b = new SoftSide(arena, faults);
            a.connect(b);
            b.connect(a);
            b.memory.fill((byte) 7);
            b.memory.set(ValueLayout.JAVA_LONG, 0, 0);
            for (int round = 0; round < 300; round++) {
                for (int i = 0; i < 8; i += 2) {
                    a.send(i, Ibv.WR_RDMA_READ, b, 64 + i * 2000L, 2000);
                    a.send(i + 1, Ibv.WR_ATOMIC_FETCH_AND_ADD, b, i * 8L, 8);
                }
                for (int i = 0; i < 8; i += 2) {
                    a.expect(i);
                    a.expect(i + 1);
                    assertThat(a.memory.get(ValueLayout.JAVA_LONG, i * 8L)).isEqualTo(round * 4L + i / 2);
                }
            }
            assertThat(b.memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1200);
            a.close();
            b.close();
        }
    }

    @Test
    void garbageOnThePortIsHarmless() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            SoftSide a = new SoftSide(arena, SoftFaults.NONE);
            SoftSide b = new SoftSide(arena, SoftFaults.NONE);
            a.connect(b);
            b.connect(a);
            InetSocketAddress address = SoftAddress.of(b.gid());
            Random random = new Random(5);
            try (DatagramSocket hostile = new DatagramSocket()) {
                for (int i = 0; i < 2000; i++) {
                    byte[] bytes = new byte[random.nextInt(200)];
                    random.nextBytes(bytes);
                    hostile.send(new DatagramPacket(bytes, bytes.length, address));
                }
            }
            byte[] bytes = new byte[SIZE];
            random.nextBytes(bytes);
            a.memory.copyFrom(MemorySegment.ofArray(bytes));
            a.send(1, Ibv.WR_RDMA_WRITE, b, 0, SIZE);
            a.expect(1);
            assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
            a.close();
            b.close();
        }
    }
}
