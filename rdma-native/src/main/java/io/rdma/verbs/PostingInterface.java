package io.rdma.verbs;

/**
 * By which of libibverbs' two interfaces a queue pair is posted to, or a completion queue polled. What is posted, what
 * comes back and the methods here are the same; the cost differs, see {@code docs/internals/performance-analysis.md}.
 */
public enum PostingInterface {
    /** {@code ibv_post_send(3)}, {@code ibv_poll_cq(3)}: one call for a chain, one for a batch. Every device has it. */
    CLASSIC,
    /**
     * {@code ibv_wr_post(3)}, {@code ibv_create_cq_ex(3)}: a call for each request and each field. A chain is posted as
     * a whole or not at all, a completion can have a {@link CompletionTimestamp}. Some devices have it.
     */
    EXTENDED
}
