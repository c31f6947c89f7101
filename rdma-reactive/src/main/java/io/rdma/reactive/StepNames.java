package io.rdma.reactive;

import io.rdma.types.WorkRequestOpcode;

/** Names of the operators in Reactor's traces and checkpoints. */
final class StepNames {
    static final String SEND = "rdmaSend";
    static final String SEND_STREAM = "rdmaSendStream";
    static final String RECEIVE = "rdmaReceive";
    static final String ACQUIRE = "rdmaAcquire";

    private StepNames() {}

    static String of(WorkRequestOpcode opcode) {
        return switch (opcode) {
            case SEND -> SEND;
            case SEND_WITH_IMM -> "rdmaSendWithImmediate";
            case SEND_WITH_INV -> "rdmaSendWithInvalidate";
            case RDMA_WRITE -> "rdmaWrite";
            case RDMA_WRITE_WITH_IMM -> "rdmaWriteWithImmediate";
            case RDMA_READ -> "rdmaRead";
            case ATOMIC_FETCH_AND_ADD -> "rdmaFetchAndAdd";
            case ATOMIC_CMP_AND_SWP -> "rdmaCompareAndSwap";
            case FLUSH -> "rdmaFlush";
            case ATOMIC_WRITE -> "rdmaAtomicWrite";
            default -> "rdma" + opcode;
        };
    }
}
