package io.rdma.interop;

import static io.rdma.interop.Side.check;

import io.rdma.types.AccessFlag;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.function.BooleanSupplier;

/**
 * Datagram queue pair of a connection manager's identifier, with a receive slot for each message and one slot for
 * sends.
 */
final class DatagramEnd implements AutoCloseable {
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private final DeviceContext device;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final MemoryRegion memory;
    private final int count;
    private final int bytes;
    private final int slot;
    private final CompletionBatch one = new CompletionBatch(1);
    private int received;

    DatagramEnd(CmIdentifier identifier, int count, int bytes) {
        this.count = count;
        this.bytes = bytes;
        slot = GlobalRoutingHeader.BYTES + bytes;
        device = identifier.device();
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(2 * count, null);
        pair = identifier.createQueuePair(domain, queue, queue, new QueuePairCapacity(count, count, 1, 1, 0));
        memory = domain.allocate((long) (count + 1) * slot, EnumSet.of(AccessFlag.LOCAL_WRITE));
        memory.segment().asSlice((long) count * slot).fill((byte) 0x77);
    }

    /** Posts as many receives as there are messages. */
    void postReceives() {
        ReceiveChain chain = new ReceiveChain(count, 1);
        for (int i = 0; i < count; i++) {
            chain.add(i).entry(memory.segment().address() + (long) i * slot, slot, memory.lkey());
        }
        check(pair.post(chain) == 0, "ibv_post_recv");
    }

    /** Sends all messages, each with this queue pair's number, and awaits their completions. */
    void send(AddressHandleAttributes path, int qpNumber, int qkey) {
        try (AddressHandle handle = domain.createAddressHandle(path)) {
            SendChain chain = new SendChain(count, 1);
            for (int i = 0; i < count; i++) {
                chain.add(count + i, WorkRequestOpcode.SEND_WITH_IMM)
                        .destination(handle, qpNumber, qkey)
                        .immediate(pair.number())
                        .signaled()
                        .entry(memory.segment().address() + (long) count * slot, bytes, memory.lkey());
            }
            check(pair.post(chain) == 0, "ibv_post_send");
            for (int i = 0; i < count; i++) {
                await(() -> poll() && one.wrId(0) >= count);
            }
        }
    }

    /** Awaits all messages. */
    void receive() {
        await(this::hasReceivedAll);
    }

    /** Returns the sender of the last message, which was sent to this device's own address. */
    Sender sender() {
        MemorySegment route = memory.segment().asSlice(one.wrId(0) * slot, GlobalRoutingHeader.BYTES);
        return new Sender(device.addressOfSender(1, one, 0, route), one.immediate(0));
    }

    /** Returns, without waiting, whether all messages have arrived. */
    boolean hasReceivedAll() {
        while (received < count && poll()) {
            check(one.byteLength(0) == slot, "a length of " + one.byteLength(0) + " bytes");
            check(one.hasImmediate(0) && one.immediate(0) == one.sourceQueuePair(0), "a sender's queue pair");
            received++;
        }
        return received == count;
    }

    private boolean poll() {
        if (queue.poll(one) == 0) {
            return false;
        }
        check(one.status(0) == 0, "status " + one.status(0) + " of request " + one.wrId(0));
        return true;
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            check(System.nanoTime() - deadline < 0, "a completion in time");
            Thread.yield();
        }
    }

    @Override
    public void close() {
        pair.close();
        queue.close();
        memory.close();
        domain.close();
    }

    /** The peer that a message came from. */
    record Sender(AddressHandleAttributes path, int qpNumber) {}
}
