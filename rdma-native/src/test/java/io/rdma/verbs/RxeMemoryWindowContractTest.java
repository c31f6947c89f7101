package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryWindowContractTest extends MemoryWindowContract {
    @Override
    String device() {
        return "rxe0";
    }

    /** Linux's rdma_rxe checks key, rights and domain of a window, but the range against its region alone. */
    @Override
    boolean bounds() {
        return false;
    }

    /** It writes the kernel's flag, 1 << 2, which is another one in libibverbs; the key is there. */
    @Override
    boolean tellsInvalidation() {
        return false;
    }

    /** Linux's rdma_rxe tells a bad binding from a bad invalidation. */
    @Override
    WorkCompletionStatus badLocalInvalidation() {
        return WorkCompletionStatus.LOC_QP_OP_ERR;
    }
}
