package io.rdma.internal.os;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/** Memory of this process that is mapped from files: {@code /proc/self/maps} and {@code msync(2)}. */
public final class MappedFiles {
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs");
    private static final int FIELDS = 6; // range, rights, offset, device, inode, path
    private static final int MS_SYNC = 4;
    private static final int HEXADECIMAL = 16;

    private MappedFiles() {}

    /** The function, found when it is first needed. */
    private static final class Calls {
        static final MemorySegment MSYNC = SixLongs.symbol("msync");
    }

    /** The outcome of a look at the system, which does not change. */
    private static final class Trial {
        static final boolean PASSED = SixLongs.supported() && Files.isReadable(MAPS);
    }

    /** Returns whether this system tells which memory is mapped from a file. */
    public static boolean isAvailable() {
        return Trial.PASSED;
    }

    /**
     * Returns whether all of a range is mapped, shared, from files that are not in memory themselves.
     *
     * @return false if the range has no byte, or is that of all memory, whose length is -1
     */
    public static boolean covers(long address, long bytes) {
        if (bytes <= 0) {
            return false;
        }
        try (Stream<String> lines = Files.lines(MAPS)) {
            long next = address; // the first byte that is not found yet; the lines are in the order of the addresses
            for (String line : (Iterable<String>) lines::iterator) {
                String[] fields = line.split("\\s+", FIELDS);
                int dash = fields[0].indexOf('-');
                long first = Long.parseUnsignedLong(fields[0], 0, dash, HEXADECIMAL);
                long end = Long.parseUnsignedLong(fields[0], dash + 1, fields[0].length(), HEXADECIMAL);
                if (next >= first && next < end && next - address < bytes) {
                    if (!isPersistent(fields)) {
                        return false;
                    }
                    next = end;
                }
            }
            return next - address >= bytes;
        } catch (IOException | RuntimeException e) { // a file that is gone, or text of another kernel
            return false;
        }
    }

    private static boolean isPersistent(String... fields) throws IOException {
        boolean shared = fields[1].length() > 3 && fields[1].charAt(3) == 's';
        return shared
                && fields.length == FIELDS
                && !"0".equals(fields[4])
                && !IN_MEMORY.contains(Files.getFileStore(Path.of(fields[5])).type());
    }

    /**
     * Writes a range to its files, and waits for their device.
     *
     * @return false if that failed: the memory is not mapped any more, or the device has an error
     */
    public static boolean sync(long address, long bytes) {
        long start = address & -Pages.SIZE;
        long length = address + bytes - start;
        while ((int) SixLongs.Calls.call(Calls.MSYNC, start, length, MS_SYNC, 0, 0, 0) != 0) {
            if (CallState.errno() != Libc.EINTR) {
                return false;
            }
        }
        return true;
    }
}
