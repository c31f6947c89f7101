package io.rdma.buffer;

/**
 * Who leased memory, and takes it back. One object for all leases of that memory: a closure for each would be an
 * allocation for each message.
 */
interface LeaseOwner {
    /** Caller and device are done. On the thread of the later one; exactly once for each lease. */
    void giveBack();
}
