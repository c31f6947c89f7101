package io.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma.internal.os.Pages;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.HugePages;
import io.rdma.types.MemoryAdvice;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract of on-demand paging. On a device that has none, each test checks that the device says so and refuses, and is
 * skipped with the errno of the refusal.
 */
abstract class OnDemandContract {
    static final int BYTES = 8192;
    private static final int ROUNDS = 100;
    private static final long MAPPED = 1 << 20;
    private static final Set<AccessFlag> LOCAL = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND);
    static final Set<AccessFlag> REMOTE =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.ON_DEMAND);

    Pair pair;

    abstract String device();

    @BeforeEach
    void open() {
        pair = new Pair(device(), Pair.REMOTE);
        pair.connect();
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private static VerbsException refusal(ThrowingCallable call) {
        return catchThrowableOfType(VerbsException.class, call);
    }

    /** Skips the test if the device has no on-demand paging for an operation of reliable connections. */
    final void assumeOnDemand(OnDemandOperation operation) {
        ExtendedDeviceAttributes attributes = pair.context.queryDeviceExtended();
        if (!attributes.onDemand()) {
            assertThat(attributes.implicitOnDemand()).isFalse();
            assertThat(attributes.rcOnDemand()).isEmpty();
            VerbsException refused = refusal(() -> pair.domain.allocate(BYTES, LOCAL));
            assertThat(refused).as("it says that it has none").isNotNull();
            // The kernel refuses the flag as one that the device does not have.
            assertThat(refused.errno()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EINVAL);
            Assumptions.abort("this device has no on-demand paging: " + refused.getMessage());
        }
        Assumptions.assumeTrue(
                attributes.rcOnDemand().contains(operation),
                () -> "this device has no on-demand paging for " + operation);
    }

    private void assumeImplicit() {
        assumeOnDemand(OnDemandOperation.WRITE);
        if (!pair.context.queryDeviceExtended().implicitOnDemand()) {
            VerbsException refused = refusal(() -> pair.domain.registerEverythingOnDemand(LOCAL));
            assertThat(refused).as("it says that it has none").isNotNull();
            Assumptions.abort("this device has no region over all memory: " + refused.getMessage());
        }
    }

    final void write(RemoteMemory to, int length, WorkCompletionStatus status) {
        pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(to.address(), to.rkey());
        pair.fromA(length);
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, status);
    }

    /** Posts a request of a with one entry of local memory. */
    private void request(WorkRequestOpcode opcode, RemoteMemory remote, long local, int length, int lkey) {
        pair.request(1, opcode).remote(remote.address(), remote.rkey());
        pair.sends.entry(local, length, lkey);
        pair.post(pair.a);
    }

    final void assertArrived(MemorySegment memory, int length) {
        assertThat(memory.asSlice(0, length).mismatch(pair.memoryA.segment().asSlice(0, length)))
                .isEqualTo(-1);
    }

    @Test
    void messagesPassBetweenOnDemandBuffers() {
        assumeOnDemand(OnDemandOperation.SEND);
        assumeOnDemand(OnDemandOperation.RECV);
        try (MemoryRegion from = pair.domain.allocate(BYTES, LOCAL);
                MemoryRegion to = pair.domain.allocate(BYTES, LOCAL)) {
            for (int round = 0; round < ROUNDS; round++) {
                from.segment().fill((byte) round);
                pair.receive(pair.b, to, 2, BYTES);
                pair.request(1, WorkRequestOpcode.SEND);
                pair.sends.entry(from.address(), BYTES, from.lkey());
                pair.post(pair.a);
                pair.succeeds(pair.queueA, 1);
                pair.succeeds(pair.queueB, 2);
                assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
            }
        }
    }

    @Test
    void aPeerWritesIntoOnDemandMemory() {
        assumeOnDemand(OnDemandOperation.WRITE);
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(region.segment(), BYTES);
        }
    }

    @Test
    void aPeerReadsOnDemandMemoryIntoOnDemandMemory() {
        assumeOnDemand(OnDemandOperation.READ);
        try (MemoryRegion source = pair.domain.allocate(MAPPED, REMOTE);
                MemoryRegion into = pair.domain.allocate(MAPPED, LOCAL)) {
            for (long i = 0; i < MAPPED; i += Long.BYTES) {
                source.segment().set(ValueLayout.JAVA_LONG, i, i ^ 0x5a5a);
            }
            request(WorkRequestOpcode.RDMA_READ, source.remote(), into.address(), (int) MAPPED, into.lkey());
            pair.succeeds(pair.queueA, 1);
            assertThat(into.segment().mismatch(source.segment())).isEqualTo(-1);
        }
    }

    @Test
    void aPeersAtomicChangesOnDemandMemory() {
        assumeOnDemand(OnDemandOperation.ATOMIC);
        try (MemoryRegion counter = pair.domain.allocate(BYTES, REMOTE);
                MemoryRegion before = pair.domain.allocate(BYTES, LOCAL)) {
            for (int i = 0; i < 3; i++) {
                pair.request(1, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD).atomic(counter.address(), counter.rkey(), 5, 0);
                pair.sends.entry(before.address(), Long.BYTES, before.lkey());
                pair.post(pair.a);
                pair.succeeds(pair.queueA, 1);
                assertThat(before.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(5L * i);
            }
            assertThat(counter.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(15);
        }
    }

    @Test
    void onDemandMemoryEndsWhereItsRegionDoes() {
        assumeOnDemand(OnDemandOperation.WRITE);
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            write(
                    new RemoteMemory(region.address() + BYTES - 4, 8, region.rkey()),
                    8,
                    WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void oneRegionCoversAllMemory() {
        assumeImplicit();
        try (MemoryRegion everything = pair.domain.registerEverythingOnDemand(
                        Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
                Arena arena = Arena.ofShared()) {
            MemorySegment anywhere = Pages.allocate(arena, MAPPED, HugePages.NONE);
            RemoteMemory there = new RemoteMemory(anywhere.address(), MAPPED, everything.rkey());
            pair.domain.advise(MemoryAdvice.PREFETCH_WRITE, true, everything, anywhere.address(), BYTES);
            write(there, BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(anywhere, BYTES);
            long copy = anywhere.address() + MAPPED / 2;
            request(WorkRequestOpcode.RDMA_READ, there, copy, BYTES, everything.lkey());
            pair.succeeds(pair.queueA, 1);
            assertArrived(anywhere.asSlice(MAPPED / 2), BYTES);
        }
    }

    @Test
    void memoryThatIsNotMappedIsAnErrorOfThePeer() {
        assumeImplicit();
        try (MemoryRegion everything = pair.domain.registerEverythingOnDemand(Set.of(AccessFlag.REMOTE_WRITE))) {
            write(new RemoteMemory(4096, 8, everything.rkey()), 8, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void localMemoryThatIsNotMappedIsAProtectionError() {
        assumeImplicit();
        try (MemoryRegion everything = pair.domain.registerEverythingOnDemand(LOCAL)) {
            request(WorkRequestOpcode.RDMA_WRITE, pair.memoryB.remote(), 4096, 8, everything.lkey());
            pair.expect(pair.queueA, 1, WorkCompletionStatus.LOC_PROT_ERR);
        }
    }

    /** Unmaps memory, and keeps its addresses from being used for other memory of this process: {@code mmap(2)}. */
    private static void unmap(MemorySegment memory) {
        int fixedPrivateAnonymous = 0x10 | 0x02 | 0x20;
        Linker linker = Linker.nativeLinker();
        MethodHandle mmap = linker.downcallHandle(
                linker.defaultLookup().find("mmap").orElseThrow(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
        long there;
        try {
            there = (long) mmap.invokeExact(memory.address(), memory.byteSize(), 0, fixedPrivateAnonymous, -1, 0L);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        assertThat(there).isEqualTo(memory.address());
    }

    @Test
    void memoryMayBeUnmappedUnderItsRegion() {
        assumeOnDemand(OnDemandOperation.WRITE);
        try (Arena arena = Arena.ofShared();
                MemoryRegion region = pair.domain.register(Pages.allocate(arena, MAPPED, HugePages.NONE), REMOTE)) {
            RemoteMemory there = region.remote();
            write(there, BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(region.segment(), BYTES);
            unmap(region.segment());
            write(there, BYTES, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryAdvice.class)
    void pagesAreBroughtIntoMemoryOnAdvice(MemoryAdvice advice) {
        assumeOnDemand(OnDemandOperation.WRITE);
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            for (boolean wait : new boolean[] {false, true}) {
                pair.domain.advise(advice, wait, region, 0, BYTES);
                pair.domain.advise(advice, wait, region, 100, 0);
                write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
                assertArrived(region.segment(), BYTES);
            }
        }
    }

    @Test
    void adviceIsForOnDemandMemory() {
        VerbsException refused = refusal(() -> pair.domain.advise(MemoryAdvice.PREFETCH, true, pair.memoryB, 0, 64));
        assertThat(refused).isNotNull();
        if (!pair.context.queryDeviceExtended().onDemand()) {
            assertThat(refused.errno()).as(refused.getMessage()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            Assumptions.abort("this device lacks it: " + refused.getMessage());
        }
        assertThat(refused.errno()).isEqualTo(Errno.EINVAL);
    }

    @Test
    void adviceToWriteNeedsTheRightToWrite() {
        assumeOnDemand(OnDemandOperation.SEND);
        try (MemoryRegion region = pair.domain.allocate(BYTES, Set.of(AccessFlag.ON_DEMAND))) {
            VerbsException refused =
                    refusal(() -> pair.domain.advise(MemoryAdvice.PREFETCH_WRITE, true, region, 0, BYTES));
            assertThat(refused).isNotNull();
            assertThat(refused.errno()).isIn(Errno.EFAULT, Errno.EPERM, Errno.EINVAL);
        }
    }

    @Test
    void adviceOnMemoryThatIsNotMappedIsRefused() {
        assumeImplicit();
        try (MemoryRegion everything = pair.domain.registerEverythingOnDemand(LOCAL)) {
            for (MemoryAdvice advice : MemoryAdvice.values()) {
                VerbsException refused = refusal(() -> pair.domain.advise(advice, true, everything, 4096, BYTES));
                assertThat(refused).as(advice.toString()).isNotNull();
                assertThat(refused.errno()).isEqualTo(Errno.EFAULT);
            }
        }
    }

    @Test
    void adviceStaysInsideItsRegion() {
        assertThatThrownBy(() -> pair.domain.advise(MemoryAdvice.PREFETCH, true, pair.memoryB, 1, Pair.SIZE))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
