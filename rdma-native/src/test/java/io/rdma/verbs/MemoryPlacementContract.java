package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Errno;
import io.rdma.types.PlacementType;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract of the memory placement extensions: FLUSH and ATOMIC WRITE, IB specification volume 1, annex A19. */
abstract class MemoryPlacementContract {
    private static final int BYTES = 4096;
    private static final Set<AccessFlag> FLUSHABLE = EnumSet.of(
            AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.FLUSH_GLOBAL);

    private Pair pair;

    @TempDir
    private Path folder;

    abstract String name();

    RdmaDevice device() {
        return TestDevice.assumedInfiniBand(name());
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
            pair = null;
        }
    }

    /** Asserts how many FLUSHes were written to files, on a device that tells it. */
    void assertFileSyncs(long count) {}

    private Set<DeviceCapability> capabilities() {
        try (DeviceContext context = device().open()) {
            return context.queryDeviceExtended().capabilities();
        }
    }

    /** Connects two queue pairs. Skips the test if they lack an operation. */
    private void connectFor(WorkRequestOpcode opcode, PostingInterface posting, Set<AccessFlag> access) {
        DeviceCapability needed =
                opcode == WorkRequestOpcode.FLUSH ? DeviceCapability.FLUSH_GLOBAL : DeviceCapability.ATOMIC_WRITE;
        Assumptions.assumeTrue(
                capabilities().contains(needed),
                () -> name() + " has no " + opcode + ": its kernel does not announce " + needed);
        pair = new Pair(device(), access, posting);
        Assumptions.assumeTrue(
                pair.a.operations().contains(opcode),
                () -> name() + " has no " + opcode + ": its kernel announces it, but the provider of this rdma-core"
                        + " refuses ibv_create_qp_ex for it (errno " + Errno.EOPNOTSUPP + ")");
        pair.connect(pair.a.operations().contains(WorkRequestOpcode.FLUSH) ? FLUSHABLE : Pair.REMOTE);
    }

    private void connectFor(WorkRequestOpcode opcode) {
        connectFor(
                opcode,
                PostingInterface.BOTH,
                opcode == WorkRequestOpcode.FLUSH ? FLUSHABLE : EnumSet.copyOf(Pair.REMOTE));
    }

    private void write(long wrId, int length) {
        pair.request(wrId, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
        pair.fromA(length);
    }

    private void flush(long wrId, RemoteMemory memory) {
        pair.request(wrId, WorkRequestOpcode.FLUSH).flush(memory, PlacementType.GLOBAL_VISIBILITY);
    }

    private void atomicWrite(long wrId, long offset, long value) {
        RemoteMemory memory = pair.memoryB.remote();
        pair.request(wrId, WorkRequestOpcode.ATOMIC_WRITE).atomicWrite(memory.address() + offset, memory.rkey(), value);
    }

    @Test
    void aQueuePairHasOnlyWhatTheDeviceAnnounces() {
        Set<DeviceCapability> announced = capabilities();
        pair = new Pair(device(), Pair.REMOTE, PostingInterface.BOTH);
        assertThat(announced.contains(DeviceCapability.FLUSH_GLOBAL)
                        || !pair.a.operations().contains(WorkRequestOpcode.FLUSH))
                .isTrue();
        assertThat(announced.contains(DeviceCapability.ATOMIC_WRITE)
                        || !pair.a.operations().contains(WorkRequestOpcode.ATOMIC_WRITE))
                .isTrue();
        assertThat(pair.a.operations()).contains(WorkRequestOpcode.SEND, WorkRequestOpcode.RDMA_READ);
    }

    @ParameterizedTest
    @EnumSource(
            value = WorkRequestOpcode.class,
            names = {"FLUSH", "ATOMIC_WRITE"})
    void theClassicInterfaceSaysThatItHasNone(WorkRequestOpcode opcode) {
        pair = new Pair(device(), Pair.REMOTE, PostingInterface.CLASSIC);
        pair.connect();
        assertThat(pair.a.operations()).doesNotContain(opcode);
        pair.request(1, opcode);
        assertThatThrownBy(() -> pair.a.post(pair.sends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PostingInterface.BOTH");
        pair.sends.clear();
    }

    @Test
    void completionsHaveOneInterface() {
        try (DeviceContext context = device().open()) {
            assertThatThrownBy(() ->
                            context.createCompletionQueue(1, null, PostingInterface.BOTH, CompletionTimestamp.NONE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("EXTENDED");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PostingInterface.class,
            names = {"EXTENDED", "BOTH"})
    void aFlushCompletesAfterTheWritesBeforeIt(PostingInterface posting) {
        connectFor(WorkRequestOpcode.FLUSH, posting, FLUSHABLE);
        write(1, 3 * BYTES);
        flush(2, pair.memoryB.remote());
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 1);
        pair.succeeds(pair.queueA, 2);
        pair.assertSame(3 * BYTES);
    }

    @Test
    void aFlushMayCoverAWholeRegionOrNoByte() {
        connectFor(WorkRequestOpcode.FLUSH);
        write(1, BYTES);
        pair.request(2, WorkRequestOpcode.FLUSH).flushRegion(pair.memoryB.rkey(), PlacementType.GLOBAL_VISIBILITY);
        flush(3, pair.memoryB.remote().slice(8, 0));
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 1);
        pair.succeeds(pair.queueA, 2);
        pair.succeeds(pair.queueA, 3);
        pair.assertSame(BYTES);
    }

    @Test
    void aFlushNeedsTheRightOfTheRegion() {
        connectFor(WorkRequestOpcode.FLUSH, PostingInterface.BOTH, EnumSet.copyOf(Pair.REMOTE));
        flush(1, pair.memoryB.remote());
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void aFlushNeedsTheRightOfTheQueuePair() {
        connectFor(WorkRequestOpcode.FLUSH);
        pair.b.modify(QueuePairAttributes.toState(QueuePairState.RTS).access(Pair.REMOTE));
        flush(1, pair.memoryB.remote());
        pair.post(pair.a);
        pair.expectNotAllowed(pair.queueA, 1);
    }

    @Test
    void aFlushStaysInsideTheRegion() {
        connectFor(WorkRequestOpcode.FLUSH);
        RemoteMemory memory = pair.memoryB.remote();
        flush(1, new RemoteMemory(memory.address() + 8, memory.length(), memory.rkey()));
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void aFlushNeedsItsKey() {
        connectFor(WorkRequestOpcode.FLUSH);
        RemoteMemory memory = pair.memoryB.remote();
        flush(1, new RemoteMemory(memory.address(), 8, memory.rkey() ^ 0x100));
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource(
            value = WorkRequestOpcode.class,
            names = {"FLUSH", "ATOMIC_WRITE"})
    void moreThanThePeerAnswersAtATimeWait(WorkRequestOpcode opcode) {
        connectFor(opcode); // for 4 reads, atomics, flushes and atomic writes in flight
        int count = Pair.DEPTH - 1;
        for (int i = 0; i < count; i++) {
            if (opcode == WorkRequestOpcode.FLUSH) {
                flush(i, pair.memoryB.remote());
            } else {
                atomicWrite(i, 8, i);
            }
        }
        pair.post(pair.a);
        for (int i = 0; i < count; i++) {
            pair.succeeds(pair.queueA, i);
        }
        if (opcode == WorkRequestOpcode.ATOMIC_WRITE) {
            assertThat(pair.memoryB.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(count - 1);
        }
    }

    @Test
    void anAtomicWriteChangesItsEightBytesAfterEarlierWrites() {
        connectFor(WorkRequestOpcode.ATOMIC_WRITE);
        for (long round = 1; round <= 20; round++) {
            pair.memoryA.segment().set(ValueLayout.JAVA_LONG, 0, round);
            write(1, BYTES);
            atomicWrite(2, BYTES, ~round);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            pair.succeeds(pair.queueA, 2);
            pair.assertSame(BYTES);
            MemorySegment memory = pair.memoryB.segment();
            assertThat(memory.get(ValueLayout.JAVA_LONG, BYTES)).isEqualTo(~round);
            assertThat(memory.get(ValueLayout.JAVA_LONG, BYTES + 8)).isZero();
        }
    }

    @Test
    void aReaderThatSeesAnAtomicWriteSeesTheWritesBeforeIt() {
        connectFor(WorkRequestOpcode.ATOMIC_WRITE);
        VarHandle longs = ValueLayout.JAVA_LONG.varHandle();
        for (long round = 1; round <= 50; round++) {
            pair.memoryA.segment().asSlice(0, BYTES).fill((byte) round);
            write(1, BYTES);
            atomicWrite(2, BYTES, round);
            pair.post(pair.a);
            long deadline = System.nanoTime() + 60_000_000_000L;
            while ((long) longs.getAcquire(pair.memoryB.segment(), (long) BYTES) != round) {
                assertThat(System.nanoTime()).as("the atomic write in time").isLessThan(deadline);
                Thread.onSpinWait();
            }
            pair.assertSame(BYTES);
            pair.succeeds(pair.queueA, 1);
            pair.succeeds(pair.queueA, 2);
        }
    }

    @Test
    void anAtomicWriteNeedsTheRightToWrite() {
        connectFor(WorkRequestOpcode.ATOMIC_WRITE, PostingInterface.BOTH, EnumSet.of(AccessFlag.REMOTE_READ));
        atomicWrite(1, 0, 1);
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(pair.memoryB.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    @Test
    void anAtomicWriteIsAligned() {
        SendChain chain = new SendChain(1, 1);
        chain.add(1, WorkRequestOpcode.ATOMIC_WRITE);
        assertThatThrownBy(() -> chain.atomicWrite(12, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8-byte boundary");
    }

    @Test
    void aFlushHasAtMostTheBytesOfAMessage() {
        SendChain chain = new SendChain(1, 1);
        chain.add(1, WorkRequestOpcode.FLUSH);
        chain.flush(new RemoteMemory(0, 1L << 31, 1), PlacementType.GLOBAL_VISIBILITY);
        RemoteMemory tooLong = new RemoteMemory(0, (1L << 31) + 1, 1);
        assertThatThrownBy(() -> chain.flush(tooLong, PlacementType.GLOBAL_VISIBILITY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("flushRegion");
    }

    @Test
    void memoryOfNoFileCannotPersist() {
        pair = new Pair(device(), Pair.REMOTE, PostingInterface.CLASSIC);
        int refused = capabilities().contains(DeviceCapability.FLUSH_PERSISTENT) ? Errno.EINVAL : Errno.EOPNOTSUPP;
        assertThatThrownBy(() ->
                        pair.domain.allocate(BYTES, EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_PERSISTENT)))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        // Linux before 6.2 does not know the right: EINVAL.
                        e -> assertThat(e.errno()).isIn(refused, Errno.EINVAL));
    }

    @Test
    void aFlushForPersistenceWritesAMappedFile() throws IOException {
        connectFor(WorkRequestOpcode.FLUSH);
        Path file = folder.resolve("persistent");
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared()) {
            MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, 2 * BYTES, arena);
            Set<AccessFlag> access =
                    EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_PERSISTENT, AccessFlag.FLUSH_GLOBAL);
            try (MemoryRegion region = registered(mapped, access)) {
                pair.b.modify(QueuePairAttributes.toState(QueuePairState.RTS).access(access));
                pair.request(1, WorkRequestOpcode.RDMA_WRITE)
                        .remote(region.remote().address() + 100, region.rkey());
                pair.fromA(BYTES);
                pair.request(2, WorkRequestOpcode.FLUSH)
                        .flush(region.remote().slice(100, BYTES), PlacementType.PERSISTENCE);
                pair.request(3, WorkRequestOpcode.FLUSH).flushRegion(region.rkey(), PlacementType.PERSISTENCE);
                pair.post(pair.a);
                pair.succeeds(pair.queueA, 1);
                pair.succeeds(pair.queueA, 2);
                pair.succeeds(pair.queueA, 3);
                assertThat(mapped.asSlice(100, BYTES)
                                .mismatch(pair.memoryA.segment().asSlice(0, BYTES)))
                        .isEqualTo(-1);
                assertFileSyncs(2);
            }
        }
    }

    private MemoryRegion registered(MemorySegment mapped, Set<AccessFlag> access) {
        try {
            return pair.domain.register(mapped, access);
        } catch (VerbsException refused) {
            assertThat(refused.errno()).isEqualTo(Errno.EINVAL);
            return Assumptions.abort("this device takes no file of this folder as persistent memory: " + refused);
        }
    }
}
