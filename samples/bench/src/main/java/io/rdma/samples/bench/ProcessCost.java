package io.rdma.samples.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds.
 *
 * @param heap bytes of objects that remain after collections
 * @param threads platform threads
 * @param descriptors open files and sockets
 */
record ProcessCost(long heap, int threads, long descriptors) {
    private static final long SETTLED_BYTES = 1 << 16;

    /** Counts this process's threads and files, and then collects its garbage until little is freed. */
    static ProcessCost now() throws IOException {
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        long descriptors = openFiles();
        return new ProcessCost(settledHeap(), threads, descriptors);
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /**
     * Returns the bytes of the heap that are in use after collections, which go on until they free little: what the
     * round before left is freed in steps. Resident memory would include free heap.
     */
    private static long settledHeap() {
        long before;
        long used = Long.MAX_VALUE;
        do {
            before = used;
            System.gc();
            used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        } while (before - used > SETTLED_BYTES);
        return used;
    }
}
