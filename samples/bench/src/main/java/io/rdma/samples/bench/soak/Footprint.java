package io.rdma.samples.bench.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The resources that a process holds.
 *
 * @param heap bytes of objects that remain after a collection
 * @param resident bytes of memory that the kernel has given to the process, including the heap; 0 if not known
 * @param threads platform threads
 * @param descriptors open files and sockets; 0 if not known
 */
public record Footprint(long heap, long resident, int threads, long descriptors) {
    private static final Path STATUS = Path.of("/proc/self/status");

    /**
     * Measures this process, after a collection.
     *
     * @return the numbers
     * @throws IOException if the kernel's page cannot be read
     */
    public static Footprint now() throws IOException {
        System.gc();
        return new Footprint(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                residentNow(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                        ? unix.getOpenFileDescriptorCount()
                        : 0);
    }

    private static long residentNow() throws IOException {
        if (!Files.isReadable(STATUS)) {
            return 0;
        }
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmRSS:")) {
                return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    /**
     * Formats the numbers as one line.
     *
     * @return text that {@link #parse} reads
     */
    public String line() {
        return heap + " " + resident + " " + threads + " " + descriptors;
    }

    /**
     * Parses the line of another process.
     *
     * @param line of {@link #line}
     * @return the same numbers
     */
    public static Footprint parse(String line) {
        String[] parts = line.split(" ");
        return new Footprint(
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]),
                Integer.parseInt(parts[2]),
                Long.parseLong(parts[3]));
    }
}
