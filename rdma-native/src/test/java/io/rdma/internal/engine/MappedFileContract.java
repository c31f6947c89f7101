package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.testing.Kernel;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.VerbsException;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract of mapped files as memory of the device, the same on every device. */
abstract class MappedFileContract extends ConnectedContract {
    private static final int BYTES = 3 * 4096 + 5;

    private final byte[] content = new byte[BYTES];

    @TempDir
    private Path directory;

    private FileChannel file;
    private Arena arena;

    @BeforeEach
    void writeFile() throws IOException {
        new Random(9).nextBytes(content);
        Path path = Files.write(directory.resolve("file"), content);
        file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        arena = Arena.ofShared();
    }

    @AfterEach
    void closeFile() throws IOException {
        if (arena.scope().isAlive()) {
            arena.close();
        }
        file.close();
    }

    private ConnectionOptions options() {
        return small().withRnrRetry(7);
    }

    private MemorySegment mapped(MapMode mode) throws IOException {
        return file.map(mode, 0, BYTES, arena);
    }

    private ProtectionDomain domain(Endpoint of) {
        return of.registrations().domain();
    }

    /** Returns what a registration makes. Skips the test where the kernel cannot pin the pages of the file. */
    private <T> T assumePinned(boolean writable, Supplier<T> registration) {
        try {
            return registration.get();
        } catch (VerbsException e) {
            assertThat(e.errno()).isEqualTo(Errno.EFAULT);
            assertThat(e).hasMessageContaining("mapped").hasMessageContaining("tmpfs");
            assertThat(writable ? Kernel.isNewerThan(6, 4) : !Kernel.isNewerThan(6, 1))
                    .as("a kernel that is known to refuse it")
                    .isTrue();
            return Assumptions.abort("the kernel cannot pin this mapping: " + e.getMessage());
        }
    }

    private Counted readFrom(MemoryRegion region, RegisteredBuffer target) {
        return submit(client, WorkRequest.read(region.remote(), target)).ended();
    }

    @Test
    void aReadOnlyFileIsReadByThePeerWithoutACopy() throws IOException {
        connect(options());
        MemorySegment mapped = mapped(MapMode.READ_ONLY);
        MemoryRegion region =
                assumePinned(false, () -> domain(server).register(mapped, EnumSet.of(AccessFlag.REMOTE_READ)));
        RegisteredBuffer target = client.memory().allocateBuffer(BYTES);
        long before = client.counters().posted() - client.counters().creditFrames();
        assertThat(readFrom(region, target).error).isNull();
        assertThat(client.counters().posted() - client.counters().creditFrames() - before)
                .as("one read, and nothing of the server's")
                .isEqualTo(1);
        assertThat(target.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
        target.close();
        region.close();
    }

    @Test
    void aReadOnlyFileIsASourceAndNoTarget() throws IOException {
        connect(options());
        MemorySegment mapped = mapped(MapMode.READ_ONLY);
        RegisteredBuffer whole = assumePinned(false, () -> client.memory().register(mapped));
        RegisteredBuffer part = client.memory().register(mapped.asSlice(100, 50));
        assertThat(client.registrations().misses()).as("registered once").isEqualTo(1);
        Counted sent = submit(client, WorkRequest.send(part, false));
        try (ReceivedMessage message = next(server.receives()::poll)) {
            assertThat(message.segment().mismatch(mapped.asSlice(100, 50))).isEqualTo(-1);
        }
        assertThat(sent.ended().error).isNull();
        MemoryRegion there = everything(server, 50);
        assertThatThrownBy(() -> submit(client, WorkRequest.read(there.remote(), part)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("map the file READ_WRITE");
        exchange(client, server);
        part.close();
        whole.close();
    }

    @Test
    void rightsToWriteAReadOnlyFileAreRefused() throws IOException {
        connect(options());
        MemorySegment mapped = mapped(MapMode.READ_ONLY);
        for (AccessFlag right : Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            assertThatThrownBy(() -> domain(server).register(mapped, EnumSet.of(right)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("read-only")
                    .hasMessageContaining("READ_WRITE");
        }
    }

    @Test
    void aWritableViewIsNotServedByARegistrationForReading() {
        connect(options());
        MemorySegment own = arena.allocate(100);
        RegisteredBuffer source = client.memory().register(own.asReadOnly());
        RegisteredBuffer target = client.memory().register(own.asSlice(0, 50));
        MemoryRegion there = everything(server, 50);
        there.segment().fill((byte) 4);
        assertThat(submit(client, WorkRequest.read(there.remote(), target)).ended().error)
                .isNull();
        assertThat(own.get(ValueLayout.JAVA_BYTE, 49)).isEqualTo((byte) 4);
        source.close();
        target.close();
        client.registrations().invalidate(own);
        assertThat(client.registrations().bytes()).isZero();
    }

    @Test
    void aFileThatIsMappedForWritingGetsWhatThePeerWrites() throws IOException {
        connect(options());
        MemorySegment mapped = mapped(MapMode.READ_WRITE);
        MemoryRegion region =
                assumePinned(true, () -> domain(server).register(mapped, EnumSet.of(AccessFlag.REMOTE_WRITE)));
        RegisteredBuffer source = client.memory().allocateBuffer(BYTES);
        source.segment().fill((byte) 7);
        assertThat(submit(client, WorkRequest.write(source, region.remote())).ended().error)
                .isNull();
        exchange(client, server); // with iWARP the write may arrive after its completion
        mapped.force();
        assertThat(Files.readAllBytes(directory.resolve("file")))
                .containsOnly(7)
                .hasSize(BYTES);
        source.close();
        region.close();
    }

    @Test
    void anArenaThatIsClosedUnderALeaseFailsTheNextUse() throws IOException {
        connect(options());
        MemorySegment mapped = mapped(MapMode.READ_ONLY);
        RegisteredBuffer lease = assumePinned(false, () -> client.memory().register(mapped));
        arena.close();
        assertThatThrownBy(() -> submit(client, WorkRequest.send(lease.limit(10), false)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("arena");
        exchange(client, server);
        lease.close();
    }

    /** The pages of a file that was cut are gone. Pinned ones stay; those on demand fail the request of the peer. */
    @Test
    void aFileThatIsCutUnderOnDemandMemoryFailsTheRequest() throws IOException {
        connect(options());
        ExtendedDeviceAttributes attributes = resources.context().queryDeviceExtended();
        Assumptions.assumeTrue(
                attributes.onDemand() && attributes.rcOnDemand().contains(OnDemandOperation.READ),
                () -> device() + " has no on-demand paging");
        MemorySegment mapped = mapped(MapMode.READ_ONLY);
        MemoryRegion region = domain(server).register(mapped, EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.ON_DEMAND));
        RegisteredBuffer target = client.memory().allocateBuffer(BYTES);
        assertThat(readFrom(region, target).error).isNull();
        assertThat(target.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
        file.truncate(10);
        Counted cut = readFrom(region, target);
        assertThat(cut.error).as("the pages behind the end are no memory").isNotNull();
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        target.close();
        region.close();
        client = null; // ended
        connect(options());
        exchange(client, server);
    }
}
