package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.FlushMethod;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionException;
import io.rdma.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract of flushes and atomic writes of a connection, with the means that the devices of its ends have. */
abstract class FlushContract extends ConnectedContract {
    private static final int BYTES = 200;

    @TempDir
    private Path folder;

    @BeforeEach
    void connect() {
        connect(small());
    }

    private FlushMethod method() {
        return client.flushMethod(PlacementType.GLOBAL_VISIBILITY);
    }

    /** Returns memory of the server with the right that a flush needs here. */
    private MemoryRegion flushable() {
        AccessFlag right =
                method() == FlushMethod.FLUSH ? PlacementType.GLOBAL_VISIBILITY.right() : AccessFlag.REMOTE_READ;
        return server.memory().allocate(4096, EnumSet.of(AccessFlag.REMOTE_WRITE, right));
    }

    private WorkRequest flush(RemoteMemory memory) {
        return PlacementRequest.flush(memory, PlacementType.GLOBAL_VISIBILITY, method());
    }

    private Counted write(RemoteMemory target, byte value) {
        RegisteredBuffer source = acquire(client).limit(BYTES);
        source.segment().fill(value);
        Counted writing = submit(client, WorkRequest.write(source, target));
        source.close();
        return writing;
    }

    @Test
    void bothEndsKnowTheSameMeans() {
        assertThat(method()).isIn(FlushMethod.FLUSH, FlushMethod.READ_AFTER_WRITE);
        for (PlacementType type : PlacementType.values()) {
            assertThat(server.flushMethod(type)).isEqualTo(client.flushMethod(type));
        }
        assertThat(server.hasAtomicWrites()).isEqualTo(client.hasAtomicWrites());
        assertThat(client.flushMethod(PlacementType.PERSISTENCE))
                .as("a read does not make anything persistent")
                .isNotEqualTo(FlushMethod.READ_AFTER_WRITE);
    }

    @Test
    void aFlushEndsWhenTheWritesBeforeItAreThere() {
        MemoryRegion there = flushable();
        for (byte round = 1; round <= 20; round++) {
            Counted writing = write(there.remote(), round);
            Counted flushing = submit(client, flush(there.remote().slice(0, BYTES)));
            assertThat(flushing.ended().error).isNull();
            assertThat(there.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(round);
            assertThat(there.segment().get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo(round);
            assertThat(writing.ended().error).isNull();
            assertThat(flushing.value).isZero();
        }
    }

    @Test
    void aFlushMayCoverFewBytes() {
        MemoryRegion there = flushable();
        for (int bytes = 1; bytes <= 9; bytes++) {
            assertThat(submit(client, flush(there.remote().slice(3, bytes))).ended().error)
                    .isNull();
        }
        assertThatThrownBy(() -> flush(there.remote().slice(0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1 byte");
    }

    @Test
    void moreFlushesThanTheDeviceTakesWait() {
        MemoryRegion there = flushable();
        List<Counted> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(submit(client, flush(there.remote())));
        }
        for (Counted one : all) {
            assertThat(one.ended().error).isNull();
            assertThat(one.ends).hasValue(1);
        }
    }

    @Test
    void anAbandonedFlushLeavesNothing() {
        MemoryRegion there = flushable();
        List<Counted> kept = new ArrayList<>();
        List<Counted> abandoned = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            kept.add(submit(client, flush(there.remote())));
            Counted given = submit(client, flush(there.remote()));
            if (given.abandon()) {
                abandoned.add(given);
            }
        }
        kept.forEach(one -> assertThat(one.ended().error).isNull());
        await().atMost(PATIENCE).until(() -> client.inFlight() == 0);
        assertThat(abandoned)
                .isNotEmpty()
                .allSatisfy(one -> assertThat(one.ends).hasValue(0));
    }

    @Test
    void theEndOfTheConnectionFailsWhatWaits() {
        MemoryRegion there = flushable();
        List<Counted> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(submit(client, flush(there.remote())));
        }
        client.close();
        for (Counted one : all) {
            RuntimeException error = one.ended().error;
            assertThat(error == null || error instanceof ConnectionClosedException)
                    .as("error %s", error)
                    .isTrue();
            assertThat(one.ends).hasValue(1);
        }
    }

    @Test
    void aFlushNeedsItsRight() {
        assumeWritesAreAcknowledged();
        MemoryRegion there = server.memory().allocate(64, Set.of(AccessFlag.REMOTE_WRITE));
        assertThat(submit(client, flush(there.remote())).ended().error).isInstanceOf(WorkCompletionException.class);
        await().atMost(PATIENCE).until(() -> client.isClosing() && server.isClosing());
    }

    @Test
    void aGuaranteeThatThereIsNoWayToIsRefusedAndTheConnectionGoesOn() {
        assumeTrue(
                client.flushMethod(PlacementType.PERSISTENCE) == FlushMethod.NONE,
                device() + " has a FLUSH for persistence");
        MemoryRegion there = flushable();
        WorkRequest persistent = PlacementRequest.flush(there.remote(), PlacementType.PERSISTENCE, FlushMethod.NONE);
        assertThatThrownBy(() -> submit(client, persistent))
                .isInstanceOf(UnsupportedRequestException.class)
                .hasMessageContaining(device())
                .hasMessageContaining("PERSISTENCE");
        exchange(client, server);
    }

    @Test
    void aFlushForPersistenceEndsWhenTheFileHasTheBytes() throws IOException {
        assumeTrue(
                client.flushMethod(PlacementType.PERSISTENCE) == FlushMethod.FLUSH,
                device() + " has no FLUSH for persistence");
        try (FileChannel file = FileChannel.open(
                        folder.resolve("log"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared()) {
            MemorySegment mapped = file.map(MapMode.READ_WRITE, 0, 8192, arena);
            try (MemoryRegion there = persistent(mapped)) {
                Counted writing = write(there.remote().slice(100, BYTES), (byte) 7);
                Counted flushing = submit(
                        client,
                        PlacementRequest.flush(
                                there.remote().slice(100, BYTES), PlacementType.PERSISTENCE, FlushMethod.FLUSH));
                assertThat(flushing.ended().error).isNull();
                assertThat(writing.ended().error).isNull();
                ByteBuffer read = ByteBuffer.allocate(1);
                assertThat(file.read(read, 100 + BYTES - 1)).isOne();
                assertThat(read.get(0)).isEqualTo((byte) 7);
            }
        }
    }

    private MemoryRegion persistent(MemorySegment mapped) {
        try {
            return resources
                    .domain()
                    .register(mapped, EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_PERSISTENT));
        } catch (VerbsException refused) {
            assertThat(refused.errno()).isEqualTo(Errno.EINVAL);
            return Assumptions.abort("this device takes no file of this folder as persistent memory: " + refused);
        }
    }

    @Test
    void anAtomicWriteComesAfterTheWritesBeforeItOrIsRefused() {
        MemoryRegion there = flushable();
        WorkRequest first = PlacementRequest.atomicWrite(there.remote().slice(1024, 8), 1);
        if (!client.hasAtomicWrites()) {
            assertThatThrownBy(() -> submit(client, first))
                    .isInstanceOf(UnsupportedRequestException.class)
                    .hasMessageContaining("compareAndSwap");
            exchange(client, server);
            return;
        }
        for (byte round = 1; round <= 50; round++) {
            Counted writing = write(there.remote(), round);
            Counted marking =
                    submit(client, PlacementRequest.atomicWrite(there.remote().slice(1024, 8), round));
            assertThat(marking.ended().error).isNull();
            assertThat(there.segment().get(ValueLayout.JAVA_LONG, 1024)).isEqualTo(round);
            assertThat(there.segment().get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo(round);
            assertThat(writing.ended().error).isNull();
        }
    }

    @Test
    void anAtomicWriteIsAligned() {
        RemoteMemory odd = new RemoteMemory(4100, 8, 1);
        assertThatThrownBy(() -> PlacementRequest.atomicWrite(odd, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8-byte boundary");
    }
}
