package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.RoutablePath;
import io.rdma.types.AccessFlag;
import io.rdma.types.AsyncEventType;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Errno;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.PathMigrationState;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of path migration: alternate paths, the states of migration and their events. Two queue pairs of one device
 * have a path from its first GID to itself, and an alternate one from another GID to itself if it has one.
 */
abstract class PathMigrationContract {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int FEW_RETRIES = 2;
    static final int TIMEOUT = 12; // 17 ms
    static final int ALTERNATE_TIMEOUT = 18; // 1.1 s, longer than a busy machine keeps a thread waiting
    private static final int LENGTH = 1 << 13;

    Pair pair;
    AsyncEvents events;

    abstract String device();

    /** Loses what is sent along the first path. */
    abstract void losePath();

    /** Handles the refusal of an alternate path: only some devices may refuse it. */
    void refusesAlternatePaths(VerbsException refusal) {
        throw refusal;
    }

    @BeforeEach
    void open() {
        pair = new Pair(device(), Pair.REMOTE);
        events = pair.context.asyncEvents();
        boolean migrates = pair.context.queryDevice().capabilities().contains(DeviceCapability.AUTO_PATH_MIG);
        if (pair.context.isSoftware()) {
            assertThat(migrates).as("IBV_DEVICE_AUTO_PATH_MIG").isTrue();
        }
        Assumptions.assumeTrue(migrates, "the device lacks IBV_DEVICE_AUTO_PATH_MIG");
    }

    @AfterEach
    void close() {
        if (events != null) {
            events.close();
        }
        if (pair != null) {
            pair.close();
        }
    }

    /** Returns the alternate path: from another routable GID to itself, or from the only one. */
    AlternatePath alternate() {
        GidTableEntry first = RoutablePath.gid(pair.context);
        GidTableEntry other = pair.context.queryGidTable().stream()
                .filter(e -> e.type() == GidType.ROCE_V2
                        && e.index() != first.index()
                        && !e.gid().isZero()
                        && !e.gid().isLinkLocal())
                .findFirst()
                .orElse(first);
        return AlternatePath.of(
                AddressHandleAttributes.of(GlobalRoute.to(other.gid(), other.index()), 1), ALTERNATE_TIMEOUT);
    }

    /** Connects both queue pairs. The alternate path is set on the way to RTR, as RDMA CM does. */
    void connect() {
        Pair.init(pair.a, Pair.REMOTE);
        Pair.init(pair.b, Pair.REMOTE);
        try {
            pair.a.modify(pair.toReadyToReceive(pair.b, 0x10).alternatePath(alternate()));
        } catch (VerbsException e) {
            refusesAlternatePaths(e);
        }
        pair.b.modify(pair.toReadyToReceive(pair.a, 0xfffff0).alternatePath(alternate()));
        pair.a.modify(toReadyToSend(0xfffff0));
        pair.b.modify(toReadyToSend(0x10));
    }

    static QueuePairAttributes toReadyToSend(int sqPsn) {
        return Pair.toReadyToSend(sqPsn).timeout(TIMEOUT).retryCnt(FEW_RETRIES);
    }

    static QueuePairAttributes rearm() {
        return QueuePairAttributes.change().pathMigState(PathMigrationState.REARM);
    }

    PathMigrationState state(QueuePair of) {
        return of.query().pathMigState();
    }

    /** Arms both sides by one request: its packet arms the responder, and the answer the requester. */
    void arm() {
        pair.a.modify(rearm());
        pair.b.modify(rearm());
        write(1);
        assertThat(state(pair.a)).isEqualTo(PathMigrationState.ARMED);
        assertThat(state(pair.b)).isEqualTo(PathMigrationState.ARMED);
    }

    void write(int wrId) {
        postWrite(wrId);
        pair.succeeds(pair.queueA, wrId);
        pair.assertSame(LENGTH);
    }

    void postWrite(int wrId) {
        pair.memoryB.segment().fill((byte) 0);
        pair.request(wrId, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
        pair.fromA(LENGTH);
        pair.post(pair.a);
    }

    /** Awaits events of one type of the queue pairs, in any order, and no other one. */
    void expectEvents(AsyncEventType type, QueuePair... of) {
        Set<Integer> left = new HashSet<>();
        for (QueuePair each : of) {
            left.add(each.number());
        }
        while (!left.isEmpty()) {
            assertThat(events.await(PATIENCE_MILLIS)).as("an event").isTrue();
            AsyncEvent event = Objects.requireNonNull(events.take());
            assertThat(event.type()).isEqualTo(type);
            assertThat(left.remove(event.queuePairNumber()))
                    .as("event of " + event)
                    .isTrue();
        }
        assertThat(events.await(0)).as("no further event").isFalse();
    }

    private void assertMigrated(QueuePair side) {
        QueuePairInfo info = side.query();
        AlternatePath path = alternate();
        assertThat(info.pathMigState()).isEqualTo(PathMigrationState.MIGRATED);
        assertThat(Objects.requireNonNull(Objects.requireNonNull(info.path()).route())
                        .sgidIndex())
                .isEqualTo(Objects.requireNonNull(path.path().route()).sgidIndex());
        assertThat(info.timeout()).isEqualTo(ALTERNATE_TIMEOUT);
        assertThat(info.qpState()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void aQueryGivesBackTheAlternatePathAndTheState() {
        connect();
        QueuePairInfo before = pair.a.query();
        AlternatePath path = Objects.requireNonNull(before.alternatePath());
        assertThat(before.pathMigState()).isEqualTo(PathMigrationState.MIGRATED);
        assertThat(path.portNum()).isOne();
        assertThat(path.pkeyIndex()).isZero();
        assertThat(path.timeout()).isEqualTo(ALTERNATE_TIMEOUT);
        assertThat(Objects.requireNonNull(path.path().route()).dgid())
                .isEqualTo(Objects.requireNonNull(alternate().path().route()).dgid());
        pair.a.modify(rearm());
        assertThat(state(pair.a)).isEqualTo(PathMigrationState.REARM);
    }

    @Test
    void sidesThatAreNotBothInRearmAreNotArmed() {
        connect();
        pair.a.modify(rearm());
        write(1);
        assertThat(state(pair.a)).isEqualTo(PathMigrationState.REARM);
        assertThat(state(pair.b)).isEqualTo(PathMigrationState.MIGRATED);
    }

    @Test
    void aConnectionSurvivesTheLossOfItsPath() {
        connect();
        arm();
        losePath();
        write(2);
        expectEvents(AsyncEventType.PATH_MIG, pair.a, pair.b);
        assertMigrated(pair.a);
        assertMigrated(pair.b);
        assertThat(pair.a.query().alternatePath()).isNull();
        write(3);
    }

    /** Operations of all kinds are in flight, in both directions; each takes effect once. */
    @Test
    void operationsInFlightAreNeitherLostNorDuplicated() {
        connect();
        arm();
        pair.receive(pair.b, pair.memoryB, 70, 64);
        pair.receive(pair.b, pair.memoryB, 71, 64);
        pair.receive(pair.a, pair.memoryA, 80, 64);
        pair.memoryB.segment().fill((byte) 0);
        losePath();
        for (int wrId = 10; wrId < 12; wrId++) {
            pair.request(wrId, WorkRequestOpcode.SEND);
            pair.fromA(64);
        }
        for (int wrId = 12; wrId < 15; wrId++) {
            pair.request(wrId, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
                    .atomic(pair.memoryB.remote().address() + 64, pair.memoryB.rkey(), 1, 0);
            pair.sends.entry(pair.memoryA.segment().address() + 4096, 8, pair.memoryA.lkey());
        }
        pair.post(pair.a);
        pair.request(20, WorkRequestOpcode.SEND);
        pair.sends.entry(pair.memoryB.segment().address() + 128, 64, pair.memoryB.lkey());
        pair.post(pair.b);
        succeedAll(pair.queueA, 10, 11, 12, 13, 14, 80);
        succeedAll(pair.queueB, 70, 71, 20);
        assertThat(pair.memoryB.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, 64))
                .as("additions")
                .isEqualTo(3);
        expectEvents(AsyncEventType.PATH_MIG, pair.a, pair.b);
    }

    /** Awaits these completions, with success, in any order, and no other one. */
    private void succeedAll(CompletionQueue queue, long... wrIds) {
        Set<Long> left = new HashSet<>();
        for (long wrId : wrIds) {
            left.add(wrId);
        }
        while (!left.isEmpty()) {
            TransportSide.await(() -> queue.poll(pair.completion) == 1);
            long taken = pair.completion.wrId(0);
            assertThat(WorkCompletionStatus.of(pair.completion.status(0)))
                    .as("status of " + taken)
                    .isEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(left.remove(taken)).as("completion of " + taken).isTrue();
        }
        assertThat(queue.poll(pair.completion)).isZero();
    }

    @Test
    void anArmedSideMigratesOnDemandAndThePeerFollows() {
        connect();
        arm();
        pair.a.modify(QueuePairAttributes.change().pathMigState(PathMigrationState.MIGRATED));
        assertMigrated(pair.a);
        write(2);
        expectEvents(AsyncEventType.PATH_MIG, pair.a, pair.b);
        assertMigrated(pair.b);
    }

    @Test
    void aMigratedConnectionIsArmedAgainAndMigratesBack() {
        connect();
        arm();
        AddressHandleAttributes first = Objects.requireNonNull(pair.a.query().path());
        pair.a.modify(QueuePairAttributes.change().pathMigState(PathMigrationState.MIGRATED));
        write(2);
        expectEvents(AsyncEventType.PATH_MIG, pair.a, pair.b);
        for (QueuePair side : new QueuePair[] {pair.a, pair.b}) {
            side.modify(rearm().alternatePath(AlternatePath.of(first, TIMEOUT)));
        }
        write(3);
        assertThat(state(pair.b)).isEqualTo(PathMigrationState.ARMED);
        pair.b.modify(QueuePairAttributes.change().pathMigState(PathMigrationState.MIGRATED));
        write(4);
        expectEvents(AsyncEventType.PATH_MIG, pair.a, pair.b);
        assertThat(Objects.requireNonNull(pair.a.query().path()).route()).isEqualTo(first.route());
    }

    @Test
    void aSideThatIsNotArmedDoesNotMigrateOnDemand() {
        connect();
        QueuePairAttributes migrate = QueuePairAttributes.change().pathMigState(PathMigrationState.MIGRATED);
        for (PathMigrationState state :
                new PathMigrationState[] {PathMigrationState.MIGRATED, PathMigrationState.REARM}) {
            assertThat(state(pair.a)).isEqualTo(state);
            assertThatThrownBy(() -> pair.a.modify(migrate))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
            pair.a.modify(rearm());
        }
    }

    @Test
    void changesThatHaveNoMeaningAreRefused() {
        connect();
        arm();
        refused(QueuePairAttributes.change().pathMigState(PathMigrationState.ARMED), "IBV_MIG_ARMED");
        refused(QueuePairAttributes.change().alternatePath(alternate()), "IBV_MIG_REARM");
        refused(rearm().alternatePath(new AlternatePath(alternate().path(), 0, 7, 14)), "a path has one port");
        pair.b.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        Pair.init(pair.b, Set.<AccessFlag>of());
        pair.b.modify(pair.toReadyToReceive(pair.a, 1));
        pair.b.modify(toReadyToSend(1));
        assertThat(state(pair.b)).as("after a reset").isEqualTo(PathMigrationState.MIGRATED);
        assertThatThrownBy(() -> pair.b.modify(rearm())).hasMessageContaining("IBV_QP_ALT_PATH");
    }

    private void refused(QueuePairAttributes change, String why) {
        assertThatThrownBy(() -> pair.a.modify(change))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(why);
        assertThat(state(pair.a)).isEqualTo(PathMigrationState.ARMED);
    }
}
