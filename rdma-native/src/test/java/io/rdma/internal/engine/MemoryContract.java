package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.buffer.RegistrationCache;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.NoReadsException;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.types.AccessFlag;
import io.rdma.types.HugePages;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Memory of the application that stays registered, and the pages of the library's memory, the same on every device. */
abstract class MemoryContract extends ConnectedContract {
    /** Number of huge pages that the kernel reserves; a file that is only there if the kernel has huge pages. */
    static final Path RESERVED_PAGES = Path.of("/proc/sys/vm/nr_hugepages");

    private void assertWrites(RegisteredBuffer source) {
        int length = Math.min(source.limit(), 4096);
        MemoryRegion there = everything(server, length);
        byte[] bytes = new byte[length];
        ThreadLocalRandom.current().nextBytes(bytes);
        MemorySegment.copy(bytes, 0, source.segment(), ValueLayout.JAVA_BYTE, 0, length);
        assertThat(submit(client, WorkRequest.write(source.limit(length), there.remote()))
                        .ended()
                        .error)
                .isNull();
        assertThat(there.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
        there.close();
    }

    /**
     * Bytes that each end of a connection with default options registered before rings grew on demand (1.6 MiB): 136
     * receive and 64 send buffers of 8 KiB, and slots.
     */
    private static final long ONCE = 136 * (8192 + 16) + 64 * 8192 + 129 * 64;

    private long registered() {
        return resources.registrationBudget().registered();
    }

    @Test
    void anIdleConnectionRegistersATenthAndMoreWhenItIsUsed() {
        long before = registered();
        connect(ConnectionOptions.DEFAULT);
        long idle = registered() - before;
        assertThat(idle).isPositive().isLessThanOrEqualTo(2 * ONCE / 10);
        await().atMost(PATIENCE).until(() -> {
            stream(300);
            return registered() - before > ONCE;
        });
        assertThat(registered() - before).isLessThanOrEqualTo(2 * ONCE);
        client.close();
        server.close();
        client.closed().join();
        server.closed().join();
        assertThat(registered()).isEqualTo(before);
    }

    /** Sends as fast as buffers come back, and receives all messages in order. */
    private void stream(int messages) {
        List<Counted> sent = new ArrayList<>();
        Thread sender = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < messages; i++) {
                RegisteredBuffer buffer = acquire(client).limit(Integer.BYTES);
                buffer.segment().set(ValueLayout.JAVA_INT, 0, i);
                sent.add(submit(client, WorkRequest.send(buffer, true)));
            }
        });
        for (int i = 0; i < messages; i++) {
            try (ReceivedMessage message = next(server.receives()::poll)) {
                assertThat(message.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
            }
        }
        try {
            sender.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThat(sent).allMatch(one -> one.ended().error == null);
    }

    @Test
    void aConnectionWithoutMemoryToGrowGoesOnWithWhatItHas() {
        reopen(resourceOptions().withMaxRegisteredBytes(350_000));
        connect(ConnectionOptions.DEFAULT);
        long idle = registered();
        stream(1_000);
        assertThat(registered()).isBetween(idle, 350_000L);
        assertThat(client.isClosing() || server.isClosing()).isFalse();
    }

    @Test
    void anArenaThatIsClosedUnderItsLeaseIsNoticed() {
        connect(small());
        MemoryRegion there = everything(server, 4096);
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(4096);
        RegisteredBuffer lease = client.memory().register(memory);
        MemoryRegion region = resources.domain().register(memory, Set.of(AccessFlag.LOCAL_WRITE));
        RegisteredBuffer part = RegisteredBuffer.of(region, 0, 64);
        arena.close();
        for (RegisteredBuffer buffer : List.of(lease, part)) {
            assertThatThrownBy(() -> submit(client, WorkRequest.write(buffer.limit(8), there.remote())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("arena");
            assertThatThrownBy(() -> submit(client, WorkRequest.read(there.remote(), buffer)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("arena");
            buffer.close();
        }
        region.close();
        assertThat(submit(client, WorkRequest.send(acquire(client).limit(8), true))
                        .ended()
                        .error)
                .isNull();
    }

    @Test
    void aGrantThatIsClosedBeforeItsTimeLeavesNothingBehind() {
        connect(small());
        MemoryRegion memory = client.memory().allocate(64, Set.of(AccessFlag.LOCAL_WRITE));
        WeakReference<MemoryRegion> closed = closedGrant(memory);
        await().atMost(PATIENCE).until(() -> {
            System.gc();
            return closed.refersTo(null);
        });
        MemoryRegion brief = client.memory().grant(memory, 0, 64, Duration.ofMillis(1), Set.of(AccessFlag.REMOTE_READ));
        await().atMost(PATIENCE).until(brief::isClosed);
        assertThat(client.memory()
                        .grant(memory, 0, 64, Duration.ofSeconds(Long.MAX_VALUE), Set.of(AccessFlag.REMOTE_READ))
                        .isClosed())
                .isFalse();
    }

    /** Otherwise a peer that gives no credits would keep its key for as long as it likes. */
    @Test
    void aGrantEndsAlthoughItsMemoryIsBeingSent() {
        connect(small());
        MemoryRegion memory = everything(client, 64);
        long before = registered();
        List<MemoryRegion> grants = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            grants.add(client.memory().grant(memory, 0, 64, Duration.ofDays(1), Set.of(AccessFlag.REMOTE_READ)));
        }
        assertThat(registered()).isGreaterThan(before);
        RegisteredBuffer sent = Objects.requireNonNull(client.memory().leaseRegistered(memory.segment()));
        grants.forEach(MemoryRegion::close);
        assertThat(registered()).isEqualTo(before);
        sent.close();
    }

    private WeakReference<MemoryRegion> closedGrant(MemoryRegion memory) {
        MemoryRegion grant = client.memory().grant(memory, 0, 64, Duration.ofDays(1), Set.of(AccessFlag.REMOTE_READ));
        grant.close();
        return new WeakReference<>(grant);
    }

    /** Connects to a peer that serves no reads: reads and atomics are refused with that reason. */
    @Test
    void readsAndAtomicsAreRefusedIfThePeerServesNone() {
        QueuePairCapacity capacity = small().queuePair();
        CompletionReservation completions = resources.roomiestLoop().reserve(64);
        QueuePair queuePair = resources.domain().createQueuePair(completions.queue(), completions.queue(), capacity);
        queuePair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(Set.of(AccessFlag.REMOTE_READ)));
        EndpointOptions options = new EndpointOptions(
                capacity,
                4,
                256,
                4,
                256,
                4,
                0,
                4096,
                4096,
                256,
                false,
                4,
                false,
                false,
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ZERO,
                4,
                4,
                4,
                false,
                EndpointOptions.Start.TOGETHER,
                Abilities.ALL);
        Endpoint endpoint = new Endpoint(completions, resources.registrations(), queuePair, null, options);
        endpoint.start();
        RemoteMemory there = new RemoteMemory(8, 8, 1);
        RegisteredBuffer target = acquire(endpoint).limit(8);
        for (WorkRequest request : List.of(
                WorkRequest.read(there, target),
                WorkRequest.fetchAndAdd(there, 1),
                WorkRequest.compareAndSwap(there, 1, 2))) {
            assertThatThrownBy(() -> submit(endpoint, request))
                    .isInstanceOf(NoReadsException.class)
                    .hasMessageContaining("serves no RDMA reads")
                    .hasMessageContaining("maxRdAtomic");
        }
        target.close();
        assertThat(endpoint.failure()).isNull();
        endpoint.close();
        assertThat(endpoint.closed()).succeedsWithin(PATIENCE);
        assertThat(endpoint.sendBuffers().leased()).isZero();
    }

    @Test
    void memoryOfTheApplicationIsRegisteredOnce() {
        connect(small());
        RegistrationCache cache = client.registrations();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 20);
            long registered = resources.registrationBudget().registered();
            for (int i = 0; i < 10; i++) { // the whole memory, then parts of it
                try (RegisteredBuffer buffer =
                        client.memory().register(i == 0 ? memory : memory.asSlice(i * 1000L, 5000))) {
                    assertWrites(buffer);
                }
            }
            assertThat(cache.misses()).isOne();
            assertThat(cache.hits()).isEqualTo(9);
            assertThat(resources.registrationBudget().registered()).isEqualTo(registered + (1 << 20));
            cache.invalidate(memory.asSlice(7, 1));
            assertThat(resources.registrationBudget().registered()).isEqualTo(registered);
        }
    }

    @Test
    void memoryOfAClosedArenaIsNeverACacheHit() {
        connect(small());
        long registered = resources.registrationBudget().registered();
        for (int i = 0; i < 100; i++) { // malloc returns the same addresses again and again
            try (Arena arena = Arena.ofShared();
                    RegisteredBuffer buffer = client.memory().register(arena.allocate(4096))) {
                assertWrites(buffer);
            }
        }
        assertThat(client.registrations().hits()).isZero();
        assertThat(client.registrations().bytes()).isEqualTo(4096); // the last region, until the next use of the cache
        assertThat(resources.registrationBudget().registered()).isEqualTo(registered + 4096);
    }

    @Test
    void theLeastRecentlyUsedRegionIsEvictedAndItsLeaseOutlivesThat() {
        reopen(ResourceOptions.DEFAULT.withCachedBytes(3 * 4096));
        connect(small());
        RegistrationCache cache = client.registrations();
        long registered = resources.registrationBudget().registered();
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                memory.add(arena.allocate(4096, 8192));
            }
            RegisteredBuffer first = client.memory().register(memory.get(0));
            client.memory().register(memory.get(1)).close();
            client.memory().register(memory.get(2)).close();
            client.memory().register(memory.get(0)).close(); // a use, so the second region is the oldest one now
            client.memory().register(memory.get(3)).close();
            assertThat(cache.bytes()).isEqualTo(3 * 4096);
            client.memory().register(memory.get(1)).close(); // was evicted; evicts the third region
            client.memory().register(memory.get(3)).close(); // is still cached
            assertThat(cache.misses()).isEqualTo(5);
            assertThat(cache.hits()).isEqualTo(2);
            try (RegisteredBuffer tooLarge = client.memory().register(arena.allocate(1 << 20))) {
                assertWrites(tooLarge);
            }
            assertThat(cache.bytes()).isEqualTo(3 * 4096);
            cache.invalidate(memory.get(0));
            assertWrites(first);
            first.close();
            await().atMost(PATIENCE).until(() -> resources.registrationBudget().registered() == registered + 2 * 4096);
        }
    }

    @Test
    void memoryThatCannotBeRegisteredIsRefusedWithTheReason() {
        connect(small());
        try (Arena confined = Arena.ofConfined()) {
            assertThatThrownBy(() -> client.memory().register(confined.allocate(8)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Arena.ofShared");
        }
        assertThatThrownBy(() -> client.memory().register(MemorySegment.ofArray(new byte[8])))
                .isInstanceOf(IllegalArgumentException.class);
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(8);
        arena.close();
        assertThatThrownBy(() -> client.memory().register(gone)).isInstanceOf(IllegalStateException.class);
        client.close();
        assertThatThrownBy(() -> client.memory().register(Arena.global().allocate(8)))
                .isInstanceOf(ConnectionClosedException.class);
    }

    /** Checks the request in smaps: `hg` is the kernel's flag of memory that was advised to use huge pages. */
    @Test
    void transparentHugePagesAreRequested() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/smaps")), "needs Linux's /proc");
        assumeTrue(
                Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")),
                "the kernel has no transparent huge pages");
        reopen(ResourceOptions.DEFAULT.withHugePages(HugePages.TRANSPARENT));
        connect(small());
        MemoryRegion region = client.memory().allocate(HugePages.BYTES + 5, Set.of(AccessFlag.LOCAL_WRITE));
        assertThat(region.segment().address() % HugePages.BYTES).isZero();
        assertThat(mapping(region, "VmFlags").orElseThrow().split(" ")).contains("hg");
        try (RegisteredBuffer part = RegisteredBuffer.of(region, 4096, 4096)) {
            assertWrites(part);
        }
    }

    @Test
    void reservedHugePagesAreTakenOrTheRemedyIsNamed() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/smaps")), "needs Linux's /proc");
        assumeTrue(Files.exists(RESERVED_PAGES), "the kernel has no huge pages");
        reopen(ResourceOptions.DEFAULT.withHugePages(HugePages.RESERVED));
        connect(small());
        boolean free = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .anyMatch(line -> line.matches("HugePages_Free: +[1-9].*"));
        if (free) {
            MemoryRegion region = client.memory().allocate(HugePages.BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            assertThat(mapping(region, "KernelPageSize").orElseThrow()).contains("2048 kB");
            try (RegisteredBuffer part = RegisteredBuffer.of(region, 4096, 4096)) {
                assertWrites(part);
            }
        } else {
            assertThatThrownBy(() -> client.memory().allocate(HugePages.BYTES, Set.of(AccessFlag.LOCAL_WRITE)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("vm.nr_hugepages");
        }
    }

    /** Returns a line of the kernel's description of the mapping that holds a region. */
    private static Optional<String> mapping(MemoryRegion region, String key) throws IOException {
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                String[] range = line.split("[- ]");
                long address = region.segment().address();
                inside = Long.parseUnsignedLong(range[0], 16) <= address
                        && address < Long.parseUnsignedLong(range[1], 16);
            } else if (inside && line.startsWith(key + ":")) {
                return Optional.of(line);
            }
        }
        return Optional.empty();
    }
}
