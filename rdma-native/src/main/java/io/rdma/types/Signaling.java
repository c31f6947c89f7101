package io.rdma.types;

/** Choice of the sends that generate a completion when they succeed, {@code sq_sig_all} of {@code ibv_create_qp(3)}. */
public enum Signaling {
    /** Those that ask for it, {@code IBV_SEND_SIGNALED}. */
    REQUESTED,
    /** All of them. */
    ALL
}
