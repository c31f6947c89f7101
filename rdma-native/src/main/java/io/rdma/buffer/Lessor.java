package io.rdma.buffer;

import java.lang.foreign.MemorySegment;

/** Who leased memory, and takes it back. One object for all its leases: a closure for each would be an allocation for each message. */
interface Lessor {
    /** Caller and device are done. On the thread of the later one; exactly once for each lease. */
    void giveBack(MemorySegment memory);
}
