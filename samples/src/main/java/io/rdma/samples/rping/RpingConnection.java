package io.rdma.samples.rping;

import io.rdma.types.AccessFlag;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
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
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

// On the wire, in both directions: struct rping_rdma_info, that is address be64, key be32, length be32. The client's
// first message gives the location of its data, the second one the location for the answer. The server's messages mean
// "go ahead"; their content is not used.

/**
 * One end of an {@link Rping}: its queue pair, its memory, and the single steps of the protocol. One thread;
 * {@link #end} from any thread.
 */
final class RpingConnection implements AutoCloseable {
    private static final int INFO = 16;
    private static final int SEND_QUEUE = 16;
    private static final int RECEIVE_QUEUE = 2;
    private static final int WAIT_MILLIS = 100;
    private static final long RECEIVE = 1;
    private static final long SEND = 2;
    private static final long TRANSFER = 3;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final ArrayDeque<AutoCloseable> opened = new ArrayDeque<>();
    private final CompletionChannel events;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final MemoryRegion infos; // the message to send, then the received one
    private final ArrayDeque<Long> completed = new ArrayDeque<>();
    private final CompletionBatch batch = new CompletionBatch(SEND_QUEUE);
    private final ProtectionDomain domain;
    private volatile boolean ended;

    RpingConnection(CmIdentifier identifier) {
        DeviceContext device = identifier.device();
        domain = track(device.allocateProtectionDomain());
        events = track(device.createCompletionChannel());
        queue = track(device.createCompletionQueue(2 * SEND_QUEUE, events));
        infos = track(domain.allocate(2 * INFO, EnumSet.of(AccessFlag.LOCAL_WRITE)));
        pair = identifier.createQueuePair(
                domain, queue, queue, new QueuePairCapacity(SEND_QUEUE, RECEIVE_QUEUE, 1, 1, 0));
        queue.requestNotify();
        postReceive();
    }

    private <T extends AutoCloseable> T track(T closeable) {
        opened.push(closeable);
        return closeable;
    }

    /** Allocates memory that the peer may read and write. */
    MemoryRegion buffer(int size) {
        return track(domain.allocate(
                size, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE)));
    }

    /** Marks the connection as ended, which ends the waits of this object. */
    void end() {
        ended = true;
    }

    private void postReceive() {
        ReceiveChain chain = new ReceiveChain(1, 1);
        chain.add(RECEIVE).entry(infos.segment().address() + INFO, INFO, infos.lkey());
        posted(pair.post(chain), "ibv_post_recv");
    }

    private static void posted(int result, String call) {
        if (result != 0) {
            throw new VerbsException(call, -result, null);
        }
    }

    /** Sends the location of a buffer; null sends only "go ahead". */
    void tell(@Nullable MemoryRegion buffer, int size) {
        MemorySegment info = infos.segment();
        info.set(LONG, 0, buffer == null ? 0 : buffer.segment().address());
        info.set(INT, 8, buffer == null ? 0 : buffer.rkey());
        info.set(INT, 12, size);
        SendChain chain = new SendChain(1, 1);
        chain.add(SEND, WorkRequestOpcode.SEND)
                .entry(info.address(), INFO, infos.lkey())
                .signaled();
        posted(pair.post(chain), "ibv_post_send");
    }

    /**
     * Waits for a message of the peer.
     *
     * @return the location that it gives; null when the connection has ended
     */
    @Nullable
    RemoteMemory told() {
        if (!await(RECEIVE)) {
            return null;
        }
        MemorySegment info = infos.segment().asSlice(INFO);
        RemoteMemory peer = new RemoteMemory(info.get(LONG, 0), Math.max(0, info.get(INT, 12)), info.get(INT, 8));
        postReceive();
        return peer;
    }

    /**
     * Posts a read or a write and waits for its completion.
     *
     * @return false when the connection has ended
     */
    boolean transfer(WorkRequestOpcode opcode, RemoteMemory peer, MemoryRegion local, int length) {
        SendChain chain = new SendChain(1, 1);
        chain.add(TRANSFER, opcode)
                .remote(peer.address(), peer.rkey())
                .entry(local.segment().address(), length, local.lkey())
                .signaled();
        posted(pair.post(chain), "ibv_post_send");
        return await(TRANSFER);
    }

    /** Waits for a completion of one kind. Successful completions of sends are ignored. */
    private boolean await(long kind) {
        while (!completed.remove(kind)) {
            int polled = queue.poll(batch);
            if (polled < 0) {
                throw new RdmaException("the completion queue has overrun");
            }
            for (int i = 0; i < polled; i++) {
                WorkCompletionStatus status = WorkCompletionStatus.of(batch.status(i));
                if (status == WorkCompletionStatus.WR_FLUSH_ERR) {
                    return false;
                }
                if (status != WorkCompletionStatus.SUCCESS) {
                    throw new WorkCompletionException(status, null, batch.qpNumber(i), batch.vendorError(i));
                }
                if (batch.wrId(i) != SEND) {
                    completed.add(batch.wrId(i));
                }
            }
            if (polled == 0) {
                if (ended) {
                    return false;
                }
                if (events.await(WAIT_MILLIS)) {
                    events.takeEvent();
                    queue.acknowledge(1);
                    queue.requestNotify();
                }
            }
        }
        return true;
    }

    @Override
    public void close() {
        pair.close();
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new RdmaException("closing failed", e);
        }
    }
}
