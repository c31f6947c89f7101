package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.types.WorkRequestOpcode;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Transport of a queue pair, {@code ibv_create_qp(3)}, with the operations that it supports, {@code ibv_post_send(3)}.
 */
public enum QueuePairType {
    /** {@code IBV_QPT_RC}: reliable connection. It supports every operation. */
    RC(Ibv.QPT_RC, WorkRequestOpcode.values()),
    /**
     * {@code IBV_QPT_UC}: unreliable connection. It supports sends and writes. If one packet is lost, the whole message
     * is lost, and neither side is notified.
     */
    UC(
            Ibv.QPT_UC,
            WorkRequestOpcode.SEND,
            WorkRequestOpcode.SEND_WITH_IMM,
            WorkRequestOpcode.RDMA_WRITE,
            WorkRequestOpcode.RDMA_WRITE_WITH_IMM),
    /**
     * {@code IBV_QPT_UD}: unreliable datagrams to any {@link AddressHandle}. It supports sends of at most one MTU. A
     * datagram can be lost, and neither side is notified.
     */
    UD(Ibv.QPT_UD, WorkRequestOpcode.SEND, WorkRequestOpcode.SEND_WITH_IMM),
    /**
     * {@code IBV_QPT_XRC_SEND}: sending end of an extended reliable connection. It supports every operation. Each
     * request names a shared receive queue of the peer. See {@link XrcDomain}.
     */
    XRC_SEND(Ibv.QPT_XRC_SEND, WorkRequestOpcode.values()),
    /**
     * {@code IBV_QPT_XRC_RECV}: receiving end of an extended reliable connection. Nothing is posted to it.
     * See {@link XrcDomain#createReceiveQueuePair}.
     */
    XRC_RECV(Ibv.QPT_XRC_RECV);

    private static final QueuePairType[] VALUES = values();
    private final int code;
    private final Set<WorkRequestOpcode> operations;
    private final int allBits;
    private final int operationBits; // without those of the memory placement extensions
    private final long sendOps;

    QueuePairType(int code, WorkRequestOpcode... operations) {
        this.code = code;
        this.operations = Collections.unmodifiableSet(copy(operations));
        int bits = 0;
        int typeBits = 0;
        long ops = 0;
        for (WorkRequestOpcode operation : operations) {
            typeBits |= operation.bit();
            if (!operation.isPlacement()) {
                bits |= operation.bit();
                ops |= ExtendedVerbs.sendOp(operation.code());
            }
        }
        allBits = typeBits;
        operationBits = bits;
        sendOps = ops;
    }

    private static Set<WorkRequestOpcode> copy(WorkRequestOpcode... operations) {
        Set<WorkRequestOpcode> copy = EnumSet.noneOf(WorkRequestOpcode.class);
        copy.addAll(List.of(operations));
        return copy;
    }

    /**
     * Returns {@code IBV_QP_EX_WITH_*}: the operations for which a queue pair of this type is created, if requests are
     * posted to it by the extended interface.
     */
    long sendOps() {
        return sendOps;
    }

    /** Returns the operations that every device has for this type, as bits of {@link WorkRequestOpcode#bit}. */
    int operationBits() {
        return operationBits;
    }

    /** Returns whether the type has the operations of the memory placement extensions, which few devices have. */
    boolean hasPlacement() {
        return allBits != operationBits;
    }

    /**
     * Returns the operations that the transport has. A device may lack {@link WorkRequestOpcode#FLUSH} and
     * {@link WorkRequestOpcode#ATOMIC_WRITE}, see {@link QueuePair#operations}.
     *
     * @return unmodifiable
     */
    public Set<WorkRequestOpcode> operations() {
        return operations;
    }

    /**
     * Rejects a chain with an operation that this transport lacks.
     *
     * @param operations bits of {@link WorkRequestOpcode#bit}
     */
    void requireAll(int operations) {
        int lacking = operations & ~allBits;
        if (lacking != 0) {
            WorkRequestOpcode operation = WorkRequestOpcode.of(Integer.numberOfTrailingZeros(lacking));
            throw new IllegalArgumentException("a queue pair of type " + this + " has no " + operation + ", it has "
                    + this.operations + ": use " + withIt(operation) + " for " + operation);
        }
    }

    private static Set<QueuePairType> withIt(WorkRequestOpcode operation) {
        Set<QueuePairType> types = EnumSet.allOf(QueuePairType.class);
        types.removeIf(type -> !type.operations.contains(operation));
        return types;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the constant with a given number.
     *
     * @param code as in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static QueuePairType of(int code) {
        for (QueuePairType value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no QueuePairType has the code " + code);
    }
}
