package io.rdma.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;

/** A dma-buf that the kernel exports from shared memory, {@code /dev/udmabuf}. */
final class Udmabuf implements AutoCloseable {
    private static final Path DEVICE = Path.of("/dev/udmabuf");
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_SEAL_SHRINK = 2;
    private static final int O_RDWR = 2;
    private static final long UDMABUF_CREATE = 0x40187542L; // _IOW('u', 0x42, struct udmabuf_create)
    private static final long SIZE_OF_CREATE = 24;

    private final int memory;
    private final int exported;
    private final long bytes;

    private Udmabuf(int memory, int exported, long bytes) {
        this.memory = memory;
        this.exported = exported;
        this.bytes = bytes;
    }

    /** Exports whole pages. Skips the test where the kernel cannot. */
    static Udmabuf assumed(long bytes) {
        Assumptions.assumeTrue(
                Files.isWritable(DEVICE),
                "there is no " + DEVICE + " here: the kernel needs CONFIG_UDMABUF, the user rights");
        try (Arena arena = Arena.ofConfined()) {
            int memory = call("memfd_create", 2, arena.allocateFrom("exported"), MFD_ALLOW_SEALING);
            call("ftruncate", 2, memory, bytes);
            call("fcntl", 2, memory, F_ADD_SEALS, F_SEAL_SHRINK);
            int device = call("open", 2, arena.allocateFrom(DEVICE.toString()), O_RDWR);
            MemorySegment create = arena.allocate(SIZE_OF_CREATE, Long.BYTES);
            create.set(JAVA_INT, 0, memory);
            create.set(JAVA_LONG, 16, bytes);
            int exported = call("ioctl", 2, device, UDMABUF_CREATE, create);
            call("close", 1, device);
            return new Udmabuf(memory, exported, bytes);
        }
    }

    private static int call(String name, int fixed, Object... arguments) {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor descriptor = FunctionDescriptor.of(JAVA_INT);
        for (Object argument : arguments) {
            descriptor = descriptor.appendArgumentLayouts(
                    argument instanceof Integer ? JAVA_INT : argument instanceof Long ? JAVA_LONG : ADDRESS);
        }
        boolean variadic = fixed < arguments.length;
        MethodHandle handle = linker.downcallHandle(
                linker.defaultLookup().find(name).orElseThrow(),
                descriptor,
                variadic ? new Linker.Option[] {Linker.Option.firstVariadicArg(fixed)} : new Linker.Option[0]);
        try {
            int result = (int) handle.invokeWithArguments(arguments);
            if (result < 0) {
                throw new IllegalStateException(name + " failed");
            }
            return result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the descriptor of the dma-buf. */
    int descriptor() {
        return exported;
    }

    /** Maps the same memory for the CPU. */
    MemorySegment map(Arena arena) throws IOException {
        Path file = Path.of("/proc/self/fd/" + memory);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    @Override
    public void close() {
        call("close", 1, exported);
        call("close", 1, memory);
    }
}
