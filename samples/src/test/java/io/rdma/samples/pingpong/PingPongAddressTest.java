package io.rdma.samples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.Gid;
import io.rdma.types.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PingPongAddressTest {
    /** Bytes that {@code ibv_rc_pingpong} of rdma-core 44 wrote to its socket, recorded with strace. */
    private static final byte[] GOLDEN =
            "0000:000014:4a1e72:00000000000000000000ffff0a4d0001\0".getBytes(StandardCharsets.US_ASCII);

    private static final PingPongAddress ADDRESS = new PingPongAddress(
            0, 0x14, 0x4a1e72, Gid.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 77, 0, 1}));

    @Test
    void theBytesAreThoseOfRdmaCore() {
        assertThat(ADDRESS.encode()).hasSize(52).isEqualTo(GOLDEN);
        assertThat(PingPongAddress.decode(GOLDEN)).isEqualTo(ADDRESS);
        assertThat(ADDRESS.line("local"))
                .isEqualTo("  local address:  LID 0x0000, QPN 0x000014, PSN 0x4a1e72, GID ::ffff:10.77.0.1");
    }

    @Test
    void theAddressOfNoQueuePairIsZero() {
        assertThat(new String(PingPongAddress.none().encode(), StandardCharsets.US_ASCII))
                .isEqualTo("0000:000000:000000:" + "0".repeat(32) + "\0");
    }

    @Test
    void malformedAddressesAreRefused() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = GOLDEN.clone();
            int at = random.nextInt(bytes.length);
            bytes[at] = (byte) random.nextInt(256);
            boolean digit = Character.digit(bytes[at], 16) >= 0 && Character.digit(GOLDEN[at], 16) >= 0;
            if (bytes[at] != GOLDEN[at] && !digit) {
                assertThatThrownBy(() -> PingPongAddress.decode(bytes)).isInstanceOf(RdmaException.class);
            }
        }
        assertThatThrownBy(() -> PingPongAddress.decode(new byte[0])).isInstanceOf(RdmaException.class);
    }
}
