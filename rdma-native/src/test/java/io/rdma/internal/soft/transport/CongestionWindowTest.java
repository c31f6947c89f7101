package io.rdma.internal.soft.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.wire.Psn;
import org.junit.jupiter.api.Test;

/**
 * Congestion window after RFC 5681, 3.1 and 4.3. It is halved after a loss, at most once per window; it grows by one
 * for each window that arrives; it is one segment after a timeout.
 */
class CongestionWindowTest {
    private static final long LARGE = 1 << 20;
    private static final int START = 0xfffff0; // wraps on the way

    private final CongestionWindow window = new CongestionWindow();

    @Test
    void isHalvedByALossOncePerWindow() {
        int full = window.packets(LARGE);
        int sent = Psn.add(START, full);
        window.lost(sent);
        assertThat(window.packets(LARGE)).isEqualTo(full / 2);
        window.arrived(1, Psn.add(START, 1));
        window.lost(Psn.add(sent, 3));
        assertThat(window.packets(LARGE)).as("lost of the same window").isEqualTo(full / 2);
        window.arrived(1, sent);
        window.lost(Psn.add(sent, 3));
        assertThat(window.packets(LARGE)).as("lost of the next").isEqualTo(full / 4);
    }

    @Test
    void growsByOneForEachWindowThatArrivesUpToItsFirstSize() {
        int full = window.packets(LARGE);
        window.timedOut(START);
        assertThat(window.packets(LARGE)).isEqualTo(1);
        int arrived = 0;
        for (int size = 1; size < full; size++) {
            assertThat(window.packets(LARGE)).isEqualTo(size);
            for (int i = 0; i < size; i++) {
                window.arrived(1, Psn.add(START, ++arrived));
            }
        }
        assertThat(window.packets(LARGE)).isEqualTo(full);
        window.arrived(10 * full, Psn.add(START, arrived + 10 * full));
        assertThat(window.packets(LARGE)).isEqualTo(full);
    }

    @Test
    void neverCloses() {
        for (int i = 0; i < 20; i++) {
            int psn = Psn.add(START, i);
            window.arrived(1, psn);
            window.lost(psn);
        }
        assertThat(window.packets(LARGE)).isPositive();
        assertThat(window.answers()).isPositive();
    }
}
