package io.rdma.interop;

import static io.rdma.interop.Side.check;

import io.rdma.types.AccessFlag;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import java.util.function.BooleanSupplier;

/**
 * Our end of a perftest program: a connected queue pair, and memory for one message to send and one that arrives. A
 * write's last byte is its number.
 */
final class PerftestEnd implements AutoCloseable {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final long RECEIVE = 1;
    private static final long SEND = 2;

    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final MemoryRegion memory;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final int bytes;
    private final CompletionBatch one = new CompletionBatch(1);
    private final SendChain send = new SendChain(1, 1);
    private int received;
    private int length; // of the message that was received last
    private int completed;

    /** Creates an end with room for so many receives, and for messages of so many bytes. */
    PerftestEnd(CmIdentifier identifier, int count, int bytes) {
        this.bytes = bytes;
        DeviceContext device = identifier.device();
        domain = device.allocateProtectionDomain();
        channel = device.createCompletionChannel();
        queue = device.createCompletionQueue(2 * count, channel);
        pair = identifier.createQueuePair(domain, queue, queue, new QueuePairCapacity(count, count, 1, 1, 0));
        memory = domain.allocate(
                2L * bytes, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
        outgoing = memory.segment().asSlice(0, bytes);
        incoming = memory.segment().asSlice(bytes, bytes);
    }

    PerftestDialog.Keys keys() {
        return new PerftestDialog.Keys(pair.number(), memory.rkey(), incoming.address());
    }

    /** Posts receives. */
    void postReceives(int count) {
        ReceiveChain chain = new ReceiveChain(count, 1);
        for (int i = 0; i < count; i++) {
            chain.add(RECEIVE).entry(incoming.address(), bytes, memory.lkey());
        }
        check(pair.post(chain) == 0, "ibv_post_recv");
    }

    /** Awaits so many messages in all, of which the last has a length, and returns that one. */
    byte[] receive(int total, int expected) {
        await("message " + total, () -> received >= total);
        check(length == expected, "a length of " + length + " bytes");
        return incoming.asSlice(0, expected).toArray(ValueLayout.JAVA_BYTE);
    }

    void send(byte[] message) {
        MemorySegment.copy(message, 0, outgoing, ValueLayout.JAVA_BYTE, 0, message.length);
        send.clear();
        send.add(SEND, WorkRequestOpcode.SEND);
        post(message.length);
    }

    /** Writes to the peer. */
    void write(PerftestDialog.Keys to, int number) {
        BYTE.setVolatile(outgoing, bytes - 1L, (byte) number);
        oneSided(WorkRequestOpcode.RDMA_WRITE, to);
    }

    /** Awaits the peer's write of a number. */
    void awaitWrite(int number) {
        await("write " + number, () -> (byte) BYTE.getVolatile(incoming, bytes - 1L) == (byte) number);
    }

    /** Reads from the peer. */
    void read(PerftestDialog.Keys from) {
        oneSided(WorkRequestOpcode.RDMA_READ, from);
    }

    private void oneSided(WorkRequestOpcode opcode, PerftestDialog.Keys at) {
        send.clear();
        send.add(SEND, opcode).remote(at.address(), at.rkey());
        post(bytes);
    }

    private void post(int count) {
        int before = completed;
        send.signaled().entry(outgoing.address(), count, memory.lkey());
        check(pair.post(send) == 0, "ibv_post_send");
        await("completion " + before, () -> completed > before);
    }

    /** Takes the next completion. Returns false if there is none. */
    private boolean poll() {
        if (queue.poll(one) == 0) {
            return false;
        }
        check(one.status(0) == 0, "status " + one.status(0) + " of request " + one.wrId(0));
        if (one.wrId(0) == RECEIVE) {
            length = one.byteLength(0);
            received++;
        } else {
            completed++;
        }
        return true;
    }

    /** Awaits a condition. In between it waits for completions, and looks at memory when none comes. */
    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Utility.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            check(System.nanoTime() - deadline < 0, what + " in time");
            if (poll()) {
                continue;
            }
            queue.requestNotify(); // the peer, which polls, needs this processor
            if (!poll() && channel.await(1)) {
                channel.takeEvent();
                queue.acknowledge(1);
            }
        }
    }

    @Override
    public void close() {
        pair.close();
        queue.close();
        channel.close();
        memory.close();
        domain.close();
    }
}
