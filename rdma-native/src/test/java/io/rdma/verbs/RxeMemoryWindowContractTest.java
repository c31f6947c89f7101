package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryWindowContractTest extends MemoryWindowContract {
    @Override
    String device() {
        return "rxe0";
    }

    /** Linux's rdma_rxe tells a bad binding from a bad invalidation. */
    @Override
    WorkCompletionStatus badLocalInvalidation() {
        return WorkCompletionStatus.LOC_QP_OP_ERR;
    }
}
