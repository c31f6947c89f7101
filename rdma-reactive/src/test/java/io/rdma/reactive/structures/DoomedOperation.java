package io.rdma.reactive.structures;

import io.rdma.types.WorkRequestOpcode;
import java.util.List;

/** Operation in the middle of which a process dies, with its requests as docs/guide/structures.md states them. */
enum DoomedOperation {
    COUNTER_ADD(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD),
    RECORD_PUT(
            WorkRequestOpcode.ATOMIC_FETCH_AND_ADD,
            WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
            WorkRequestOpcode.RDMA_WRITE,
            WorkRequestOpcode.ATOMIC_CMP_AND_SWP),
    TABLE_PUT(
            WorkRequestOpcode.RDMA_READ,
            WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
            WorkRequestOpcode.RDMA_WRITE,
            WorkRequestOpcode.ATOMIC_CMP_AND_SWP),
    TABLE_REMOVE(
            WorkRequestOpcode.RDMA_READ,
            WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
            WorkRequestOpcode.RDMA_WRITE,
            WorkRequestOpcode.ATOMIC_CMP_AND_SWP),
    LOCK_ACQUIRE(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, WorkRequestOpcode.ATOMIC_CMP_AND_SWP),
    LOCK_RENEW(WorkRequestOpcode.ATOMIC_CMP_AND_SWP),
    LOCK_RELEASE(WorkRequestOpcode.ATOMIC_CMP_AND_SWP),
    RING_SEND(WorkRequestOpcode.RDMA_WRITE),
    /** A send into a ring that is full as far as its producer knows. A filler comes before the entry. */
    RING_SEND_AT_END(WorkRequestOpcode.RDMA_READ, WorkRequestOpcode.RDMA_WRITE, WorkRequestOpcode.RDMA_WRITE);

    private final List<WorkRequestOpcode> requests;

    DoomedOperation(WorkRequestOpcode... requests) {
        this.requests = List.of(requests);
    }

    List<WorkRequestOpcode> requests() {
        return requests;
    }
}
