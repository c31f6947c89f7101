package io.rdma.samples.learn;

import io.rdma.types.AccessFlag;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import java.util.EnumSet;
import java.util.function.IntConsumer;

/**
 * One worker of a server: the memory for received messages, divided into slots, and the completion queue of
 * the receives.
 */
final class Worker implements AutoCloseable {
    final MemoryRegion memory;
    final CompletionQueue received;
    final ReceiveChain receives;
    private final int slotBytes;
    private final CompletionBatch batch = new CompletionBatch(64);

    Worker(DeviceContext context, ProtectionDomain domain, int slots, int slotBytes) {
        this.slotBytes = slotBytes;
        memory = domain.allocate((long) slots * slotBytes, EnumSet.of(AccessFlag.LOCAL_WRITE));
        received = context.createCompletionQueue(slots, null); // at most so many are posted: no overrun
        receives = new ReceiveChain(slots, 1);
    }

    /**
     * Fills the chain with receives into consecutive slots of the memory. The completion returns the number of
     * the slot.
     */
    ReceiveChain slots(int first, int count) {
        receives.clear();
        for (int slot = first; slot < first + count; slot++) {
            receives.add(slot).entry(memory.segment().address() + (long) slot * slotBytes, slotBytes, memory.lkey());
        }
        return receives;
    }

    /**
     * Polls for messages that have arrived.
     *
     * @return number of messages
     */
    int poll(IntConsumer slot) {
        int polled = received.poll(batch);
        for (int i = 0; i < polled; i++) {
            Side.posted("completion", batch.status(i));
            slot.accept((int) batch.wrId(i));
        }
        return polled;
    }

    @Override
    public void close() {
        received.close();
        memory.close();
    }
}
