package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.RdmaResources;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A ring at its consumer, into whose memory the test writes as a producer does. */
class HostedRingTest {
    private static final int CAPACITY = 64;

    private final RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
    private final HostedRing ring = new HostedRing(resources, CAPACITY);
    private final RingLayout layout = ring.header.ring();

    @AfterEach
    void close() {
        ring.close();
        resources.close();
    }

    private void produce(long position, byte[] content) {
        byte[] entry = layout.encode(position, content);
        MemorySegment.copy(
                MemorySegment.ofArray(entry), 0, ring.region.segment(), layout.offset(position), entry.length);
    }

    /** The producer may pass bytes of others on, who can compute what an entry of the next round looks like. */
    @Test
    void contentOfAnEntryIsNotTakenForALaterEntry() {
        byte[] forged = layout.encode(CAPACITY + RingLayout.HEAD, new byte[0]);
        assertThat(forged).hasSize(16);
        produce(0, forged);
        assertThat(ring.poll()).isEqualTo(forged);
        produce(32, new byte[16]);
        assertThat(ring.poll()).hasSize(16);
        produce(CAPACITY, new byte[0]);
        assertThat(ring.poll()).isEmpty();
        assertThat(ring.poll()).isNull();
        produce(CAPACITY + RingLayout.HEAD, new byte[] {1});
        assertThat(ring.poll()).containsExactly(1);
    }

    @Test
    void anEntryThatIsGivenBackIsReceivedNext() {
        produce(0, new byte[] {1});
        byte[] entry = ring.poll();
        produce(32, new byte[] {2});
        ring.giveBack(entry);
        assertThat(ring.poll()).containsExactly(1);
        assertThat(ring.poll()).containsExactly(2);
    }
}
