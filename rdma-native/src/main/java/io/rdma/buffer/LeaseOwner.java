package io.rdma.buffer;

/**
 * The owner of leased memory, to which every lease returns it. One object serves all leases of that memory: a closure
 * per lease would be an allocation per message.
 */
interface LeaseOwner {
    /**
     * Takes the memory back when caller and device are done with it. Runs on the thread of the later one, exactly once
     * per lease.
     */
    void giveBack();
}
