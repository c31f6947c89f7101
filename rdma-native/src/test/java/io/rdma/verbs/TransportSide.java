package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.types.AccessFlag;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;

/** A queue pair of any transport, at first in RESET, with a completion queue and a region. */
final class TransportSide implements AutoCloseable {
    static final int SIZE = 1 << 16;
    static final int DEPTH = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final DeviceContext context;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final QueuePair pair;
    final MemoryRegion memory;
    final SendChain sends = new SendChain(DEPTH, 2);
    final CompletionBatch completion = new CompletionBatch(1);
    private final ReceiveChain receives = new ReceiveChain(1, 1);

    TransportSide(DeviceContext context, ProtectionDomain domain, QueuePairType type, PostingInterface way, long seed) {
        this.context = context;
        this.domain = domain;
        queue = context.createCompletionQueue(4 * DEPTH, null, way, CompletionTimestamp.NONE);
        pair = domain.createQueuePair(type, queue, queue, null, new QueuePairCapacity(DEPTH, DEPTH, 2, 1, 32), way);
        memory = domain.allocate(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        byte[] random = new byte[SIZE];
        new Random(seed).nextBytes(random);
        memory.segment().copyFrom(MemorySegment.ofArray(random));
    }

    void receive(long wrId, long offset, int length) {
        receives.clear();
        receives.add(wrId).entry(memory.segment().address() + offset, length, memory.lkey());
        assertThat(pair.post(receives)).isZero();
    }

    /** Adds a request to the chain, which {@link #post} posts. */
    SendChain request(long wrId, WorkRequestOpcode opcode, long offset, int length) {
        sends.add(wrId, opcode);
        if (length > 0) {
            sends.entry(memory.segment().address() + offset, length, memory.lkey());
        }
        return sends.signaled();
    }

    void post() {
        assertThat(pair.post(sends)).isZero();
        sends.clear();
    }

    /** Returns the lowest rate of the queue pair in kbit/s. Skips the test if the device does not limit it. */
    int assumeLimited() {
        ExtendedDeviceAttributes attributes = context.queryDeviceExtended();
        Assumptions.assumeTrue(
                (attributes.pacedQueuePairTypes() & 1 << pair.type().code()) != 0,
                "this device does not limit the rate of such a queue pair");
        return (int) attributes.qpRateLimitMin();
    }

    /** Awaits exactly one completion. */
    CompletionBatch next() {
        await(() -> {
            int polled = queue.poll(completion);
            assertThat(polled).isBetween(0, 1);
            return polled == 1;
        });
        return completion;
    }

    CompletionBatch expect(long wrId, WorkCompletionStatus status) {
        next();
        assertThat(completion.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(completion.status(0))).isEqualTo(status);
        return completion;
    }

    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.yield();
        }
    }

    MemorySegment bytes(long offset, int length) {
        return memory.segment().asSlice(offset, length);
    }

    @Override
    public void close() {
        pair.close();
        queue.close();
        memory.close();
    }
}
