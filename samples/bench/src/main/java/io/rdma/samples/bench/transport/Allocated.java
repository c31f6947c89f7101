package io.rdma.samples.bench.transport;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Heap that the threads of this JVM have allocated. */
public final class Allocated {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocated() {}

    /**
     * Returns the bytes of all threads, those that have ended included.
     *
     * @return bytes so far
     */
    public static long bytes() {
        return THREADS.getTotalThreadAllocatedBytes();
    }
}
