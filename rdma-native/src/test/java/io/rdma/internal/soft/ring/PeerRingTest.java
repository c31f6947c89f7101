package io.rdma.internal.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ring that was offered to a peer, with the time as the test has it. */
class PeerRingTest {
    private static final long MADE = -5; // a clock may be negative

    @TempDir
    private Path folder;

    private PeerRing ring;
    private Path path;

    @BeforeEach
    void make() throws IOException {
        path = folder.resolve("ring");
        ring = new PeerRing(new UdpAddress(), RingFile.make(path), MADE);
    }

    @AfterEach
    void unmap() {
        ring.unmap();
    }

    private static long after(long millis) {
        return MADE + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void offerIsRepeatedEverMoreRarelyUntilItIsGivenUp() {
        int asked = 0;
        long millis = 0;
        for (; !ring.isGivenUp(after(millis)); millis++) {
            asked += ring.asksAgain(after(millis)) ? 1 : 0;
            assertThat(asked).isLessThanOrEqualTo(millis < 200 ? 0 : 7);
        }
        assertThat(asked).isEqualTo(7); // at 200, 400, .. 12,800 ms
        assertThat(millis).isEqualTo(15_000);
        assertThat(ring.isUsable()).isFalse();
    }

    @Test
    void acceptedOfferIsNeitherRepeatedNorGivenUp() throws IOException {
        try (RingFile other = RingFile.open(path)) {
            other.accept();
            assertThat(ring.isUsable()).isTrue();
            assertThat(ring.asksAgain(after(100_000))).isFalse();
            assertThat(ring.isGivenUp(after(100_000))).isFalse();
        }
    }

    @Test
    void endedRingIsDoneOnceItIsRead() throws IOException {
        try (RingFile other = RingFile.open(path)) {
            other.accept();
            new Ring(other.outbound()).publish(64); // something is there
            ring.end();
            assertThat(ring.isUsable()).isFalse();
            assertThat(ring.isDone()).isFalse();
            new Ring(other.outbound()).publish(0);
            assertThat(ring.isDone()).isTrue();
        }
    }
}
