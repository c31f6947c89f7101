package io.rdma.internal.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that is or is not mapped from a file that outlives a loss of power. */
class MappedFilesTest {
    private static final long BYTES = 4 * Pages.SIZE;

    private final Arena arena = Arena.ofShared();

    @TempDir
    private Path folder;

    @BeforeEach
    void look() {
        assumeTrue(MappedFiles.isAvailable(), "this system has no /proc/self/maps");
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private MemorySegment map(Path file, MapMode mode) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(mode, 0, BYTES, arena);
        }
    }

    private void assumeDisk() throws IOException {
        String type = Files.getFileStore(folder).type();
        assumeTrue(!Set.of("tmpfs", "ramfs").contains(type), () -> folder + " is in a file system in memory: " + type);
    }

    @Test
    void aSharedMappingOfAFileIsCovered() throws IOException {
        assumeDisk();
        MemorySegment mapped = map(folder.resolve("file"), MapMode.READ_WRITE);
        assertThat(MappedFiles.covers(mapped.address(), BYTES)).isTrue();
        assertThat(MappedFiles.covers(mapped.address() + 1, 1)).isTrue();
        assertThat(MappedFiles.sync(mapped.address() + 1, BYTES - 1)).isTrue();
    }

    @Test
    void aPrivateMappingIsNot() throws IOException {
        MemorySegment mapped = map(folder.resolve("file"), MapMode.PRIVATE);
        assertThat(MappedFiles.covers(mapped.address(), BYTES)).isFalse();
    }

    @Test
    void memoryOfNoFileIsNot() {
        assertThat(MappedFiles.covers(arena.allocate(64).address(), 64)).isFalse();
    }

    @Test
    void aFileInMemoryIsNot() throws IOException {
        Path memory = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(memory), memory + " is not there");
        Path file = Files.createTempFile(memory, "rdma-test", "");
        try {
            assertThat(MappedFiles.covers(map(file, MapMode.READ_WRITE).address(), BYTES))
                    .isFalse();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void noByteAndAllMemoryAreNot() throws IOException {
        assertThat(MappedFiles.covers(0, -1)).isFalse();
        assertThat(MappedFiles.covers(0, Long.MAX_VALUE)).isFalse();
        MemorySegment mapped = map(folder.resolve("file"), MapMode.READ_WRITE);
        assertThat(MappedFiles.covers(mapped.address(), 0)).isFalse();
    }

    @Test
    void aRangeWithAGapIsNot() throws IOException {
        assertThat(MappedFiles.covers(Pages.SIZE, Pages.SIZE))
                .as("the lowest pages")
                .isFalse();
        MemorySegment mapped = map(folder.resolve("file"), MapMode.READ_WRITE);
        assertThat(MappedFiles.covers(mapped.address(), 1L << 46)).isFalse();
    }

    @Test
    void memoryThatIsNotMappedCannotBeWrittenToItsFile() {
        assertThat(MappedFiles.sync(Pages.SIZE, Pages.SIZE)).isFalse();
    }
}
