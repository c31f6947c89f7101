package io.rdma.types;

/**
 * The one of libibverbs' two interfaces by which requests are posted to a queue pair, or completions polled from a
 * completion queue. Requests, completions and the methods of this package are the same for both. The cost differs,
 * see {@code docs/internals/performance-analysis.md}.
 */
public enum PostingInterface {
    /**
     * {@code ibv_post_send(3)} and {@code ibv_poll_cq(3)}: one call for a chain, one call for a batch. Every device
     * has it.
     */
    CLASSIC,
    /**
     * {@code ibv_wr_post(3)} and {@code ibv_create_cq_ex(3)}: one call for each request and each field. A chain is
     * posted as a whole or not at all. A completion can have a {@link CompletionTimestamp}. Only some devices have it.
     */
    EXTENDED,
    /**
     * {@code ibv_post_send(3)}, and {@code ibv_wr_post(3)} for a chain with an operation that {@code ibv_post_send(3)}
     * lacks: {@link WorkRequestOpcode#FLUSH}, {@link WorkRequestOpcode#ATOMIC_WRITE}. For queue pairs alone. On a
     * device that lacks these operations it is {@link #CLASSIC}.
     */
    BOTH
}
