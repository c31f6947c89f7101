package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.types.AccessFlag;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;

/** One end of a connection that a test makes with the connection manager: its queue pair and some memory. */
@SuppressWarnings("try") // close() of the objects may throw any exception
public final class CmEnd implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BYTES = 4096;
    private static final int ROUTE = 40;
    private static final int RECEIVES = 8;
    private static final QueuePairCapacity CAPACITY = new QueuePairCapacity(8, 8, 1, 1, 0);

    final QueuePair pair;
    private SharedReceiveQueue shared; // null: the queue pair has its own receives
    private final CompletionQueue completions;
    private final ProtectionDomain domain;
    private final MemoryRegion memory;
    private final ArrayDeque<AutoCloseable> made = new ArrayDeque<>();
    private final CompletionBatch one = new CompletionBatch(1);

    private CmEnd(ProtectionDomain domain, CompletionQueue completions, QueuePair pair) {
        this.domain = domain;
        this.completions = completions;
        this.pair = pair;
        memory = domain.allocate(BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE));
        made.push(domain);
        made.push(memory);
        made.push(completions);
        made.push(pair);
    }

    /** Creates an end with a queue pair of the identifier. */
    public static CmEnd of(CmIdentifier identifier) {
        DeviceContext device = identifier.device();
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(32, null);
        return new CmEnd(domain, completions, identifier.createQueuePair(domain, completions, completions, CAPACITY));
    }

    /** Creates an end with a queue pair of the identifier that has a shared receive queue and a posting interface. */
    static CmEnd sharing(CmIdentifier identifier, PostingInterface posting) {
        DeviceContext device = identifier.device();
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(32, null);
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(RECEIVES, 1));
        try {
            QueuePair pair = identifier.createQueuePair(domain, completions, completions, shared, CAPACITY, posting);
            CmEnd end = new CmEnd(domain, completions, pair);
            end.shareReceives(shared);
            return end;
        } catch (VerbsException e) {
            shared.close();
            completions.close();
            domain.close();
            throw e;
        }
    }

    private void shareReceives(SharedReceiveQueue queue) {
        shared = queue;
        made.pop();
        made.push(queue);
        made.push(pair);
    }

    /** Creates an end with a queue pair of a context that the connection manager does not know. */
    static CmEnd outside(DeviceContext device) {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(32, null);
        return new CmEnd(domain, completions, domain.createQueuePair(completions, completions, CAPACITY));
    }

    void move(CmIdentifier identifier, QueuePairState... states) {
        for (QueuePairState state : states) {
            pair.modify(identifier.attributesTo(state));
        }
    }

    QpAttr query() {
        return pair.verbs.queryQp(
                pair.handle(),
                Ibv.QP_MIN_RNR_TIMER
                        | Ibv.QP_MAX_QP_RD_ATOMIC
                        | Ibv.QP_MAX_DEST_RD_ATOMIC
                        | Ibv.QP_TIMEOUT
                        | Ibv.QP_AV);
    }

    public void postReceive() {
        ReceiveChain chain = new ReceiveChain(1, 1);
        chain.add(7).entry(memory.segment().address(), BYTES / 2, memory.lkey());
        assertThat(shared == null ? pair.post(chain) : shared.post(chain)).isZero();
    }

    public void send(String text) {
        assertThat(post(WorkRequestOpcode.SEND, text)).isZero();
        completed(8, WorkCompletionStatus.SUCCESS);
    }

    /**
     * Posts a request with a text.
     *
     * @return what ibv_post_send returns
     */
    int post(WorkRequestOpcode opcode, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        memory.segment().asSlice(BYTES / 2).asByteBuffer().put(bytes);
        SendChain chain = new SendChain(1, 1);
        chain.add(8, opcode).signaled().entry(memory.segment().address() + BYTES / 2, bytes.length, memory.lkey());
        return pair.post(chain);
    }

    /** Sends a datagram. */
    void sendTo(CmEvent where, String text) {
        AddressHandleAttributes target = where.destination();
        assertThat(target).isNotNull();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        memory.segment().asSlice(BYTES / 2).asByteBuffer().put(bytes);
        try (AddressHandle handle = domain.createAddressHandle(target)) {
            SendChain chain = new SendChain(1, 1);
            chain.add(8, WorkRequestOpcode.SEND)
                    .destination(handle, where.parameters().queuePairNumber(), where.qkey())
                    .signaled()
                    .entry(memory.segment().address() + BYTES / 2, bytes.length, memory.lkey());
            assertThat(pair.post(chain)).isZero();
            completed(8, WorkCompletionStatus.SUCCESS);
        }
    }

    /** Receives a datagram and returns its text, which lies behind its route. */
    String receiveDatagram() {
        completed(7, WorkCompletionStatus.SUCCESS);
        byte[] bytes = new byte[one.byteLength(0) - ROUTE];
        memory.segment().asSlice(ROUTE).asByteBuffer().get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public String receive() {
        completed(7, WorkCompletionStatus.SUCCESS);
        byte[] bytes = new byte[one.byteLength(0)];
        memory.segment().asByteBuffer().get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    void completed(long wrId, WorkCompletionStatus status) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (completions.poll(one) == 0) {
            assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(one.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(one.status(0))).isEqualTo(status);
    }

    @Override
    public void close() throws Exception {
        while (!made.isEmpty()) {
            made.pop().close();
        }
    }
}
