package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.types.QueuePairCapacity;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointOptionsTest {
    private static EndpointOptions options(int sendBuffer, int peerReceiveBuffer, boolean credits) {
        return new EndpointOptions(
                QueuePairCapacity.DEFAULT,
                1,
                8192,
                1,
                sendBuffer,
                1,
                1,
                1 << 20,
                1 << 20,
                peerReceiveBuffer,
                credits,
                1,
                true,
                true,
                Duration.ofSeconds(1),
                Duration.ZERO,
                1,
                1,
                1,
                false,
                EndpointOptions.Start.TOGETHER,
                Abilities.ALL);
    }

    @ParameterizedTest
    @CsvSource({
        "8192, 8192, 8176", // with a frame of 16 bytes, two packets of the largest MTU
        "8192, 65536, 8176",
        "65536, 8192, 8176",
        "65536, 65536, 65520",
        "4096, 4096, 4080",
        "8180, 8180, 8176",
        "8176, 8176, 8176",
        "8100, 8100, 8100", // nearly full packets as they are
        "4090, 4090, 4080",
        "64, 64, 64",
        "1, 8192, 1"
    })
    void aStreamIsCutIntoFullPackets(int sendBuffer, int peerReceiveBuffer, int message) {
        assertThat(options(sendBuffer, peerReceiveBuffer, true).streamMessageSize())
                .isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"8192, 8192", "8200, 8192", "4096, 4096", "8000, 8000"})
    void withoutCreditsThereIsNoFrame(int buffer, int message) {
        assertThat(options(buffer, buffer, false).streamMessageSize()).isEqualTo(message);
    }
}
