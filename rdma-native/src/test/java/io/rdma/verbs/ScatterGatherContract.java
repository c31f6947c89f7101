package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.GidTableEntry;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of requests with many scatter/gather entries, in one page and in a page each. */
abstract class ScatterGatherContract {
    private static final int MOST = 30;
    private static final int ROUNDS = 60;
    private static final int ENTRY = 24; // bytes
    private static final int ROUTE = GlobalRoutingHeader.BYTES;
    private static final int QKEY = 0x1111_1111;
    private static final int SIZE = (MOST + 2) * 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queueA;
    private CompletionQueue queueB;
    private QueuePair a;
    private QueuePair b;
    private AddressHandle address;
    private MemoryRegion from;
    private MemoryRegion to;
    private int entries;
    private final SendChain sends = new SendChain(1, MOST);
    private final ReceiveChain receives = new ReceiveChain(1, MOST + 1);
    private final CompletionBatch completion = new CompletionBatch(1);

    abstract String device();

    @BeforeEach
    void open() {
        context = TestDevice.assumedInfiniBand(device()).open();
        domain = context.allocateProtectionDomain();
        queueA = context.createCompletionQueue(4, null);
        queueB = context.createCompletionQueue(4, null);
        DeviceAttributes attributes = context.queryDevice();
        entries = Math.min(MOST, Math.min(attributes.maxSge(), attributes.maxSgeRd()));
        EnumSet<AccessFlag> access =
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        from = domain.allocate(SIZE, access);
        to = domain.allocate(SIZE, access);
        byte[] random = new byte[SIZE];
        new Random(5).nextBytes(random);
        from.segment().copyFrom(MemorySegment.ofArray(random));
    }

    @AfterEach
    void close() {
        if (context == null) {
            return;
        }
        if (address != null) {
            address.close();
        }
        if (a != null) {
            a.close();
            b.close();
        }
        queueA.close();
        queueB.close();
        from.close();
        to.close();
        domain.close();
        context.close();
    }

    private QueuePair create(QueuePairType type, CompletionQueue queue) {
        return domain.createQueuePair(type, queue, queue, new QueuePairCapacity(2, 2, entries, entries, 0));
    }

    private void connect(QueuePairType type) {
        a = create(type, queueA);
        b = create(type, queueB);
        up(type, a, b);
        up(type, b, a);
        if (type == QueuePairType.UD) {
            GidTableEntry gid = RoutablePath.gid(context);
            address = domain.createAddressHandle(AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), 1));
        }
    }

    private void up(QueuePairType type, QueuePair pair, QueuePair peer) {
        QueuePairAttributes init =
                QueuePairAttributes.toState(QueuePairState.INIT).pkeyIndex(0).port(1);
        if (type == QueuePairType.UD) {
            pair.modify(init.qkey(QKEY));
            pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
            pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(7));
            return;
        }
        boolean reliable = type == QueuePairType.RC;
        pair.modify(init.access(
                reliable
                        ? EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ)
                        : EnumSet.of(AccessFlag.REMOTE_WRITE)));
        QueuePairAttributes ready = RoutablePath.toReadyToReceive(context, peer, 7);
        pair.modify(reliable ? ready.maxDestRdAtomic(1).minRnrTimer(1) : ready);
        pair.modify(
                reliable
                        ? Pair.toReadyToSend(7).maxRdAtomic(1)
                        : QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(7));
    }

    /** Sends from all entries of one side to all entries of the other. */
    @ParameterizedTest
    @CsvSource({"RC,64", "RC,4096", "UC,64", "UC,4096", "UD,64", "UD,4096"})
    void aMessagePassesFromManyEntriesToMany(QueuePairType type, int stride) {
        connect(type);
        boolean routed = type == QueuePairType.UD;
        int pieces = routed ? entries - 1 : entries; // the route takes one
        for (int round = 0; round < ROUNDS; round++) {
            to.segment().fill((byte) 0);
            receives.clear();
            ReceiveChain receive = receives.add(2);
            if (routed) {
                receive.entry(to.address() + SIZE - ROUTE, ROUTE, to.lkey());
            }
            for (int i = 0; i < pieces; i++) {
                receive.entry(to.address() + (long) i * stride, ENTRY, to.lkey());
            }
            assertThat(b.post(receives)).isZero();
            sends.clear();
            sends.add(1, WorkRequestOpcode.SEND).signaled();
            if (routed) {
                sends.destination(address, b.number(), QKEY);
            }
            gather(pieces, stride, from);
            assertThat(a.post(sends)).isZero();
            succeeds(queueA, 1);
            succeeds(queueB, 2);
            assertPiecesAreThere(pieces, stride);
        }
    }

    /** Reads memory of one piece into many entries. */
    @ParameterizedTest
    @ValueSource(ints = {64, 4096})
    void aReadArrivesInManyEntries(int stride) {
        connect(QueuePairType.RC);
        for (int round = 0; round < ROUNDS; round++) {
            to.segment().fill((byte) 0);
            sends.clear();
            sends.add(1, WorkRequestOpcode.RDMA_READ).signaled().remote(from.address(), from.rkey());
            gather(entries, stride, to);
            assertThat(a.post(sends)).isZero();
            succeeds(queueA, 1);
            for (int i = 0; i < entries; i++) {
                assertPiece((long) i * stride, (long) i * ENTRY);
            }
        }
    }

    private void gather(int pieces, int stride, MemoryRegion region) {
        for (int i = 0; i < pieces; i++) {
            sends.entry(region.address() + (long) i * stride, ENTRY, region.lkey());
        }
    }

    private void assertPiecesAreThere(int pieces, int stride) {
        for (int i = 0; i < pieces; i++) {
            assertPiece((long) i * stride, (long) i * stride);
        }
    }

    private void assertPiece(long at, long expectedAt) {
        assertThat(to.segment().asSlice(at, ENTRY).mismatch(from.segment().asSlice(expectedAt, ENTRY)))
                .isEqualTo(-1);
    }

    private void succeeds(CompletionQueue queue, long wrId) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (queue.poll(completion) == 0) {
            assertThat(System.nanoTime())
                    .as("completion of " + wrId + " in time")
                    .isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(completion.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(completion.status(0))).isEqualTo(WorkCompletionStatus.SUCCESS);
    }
}
