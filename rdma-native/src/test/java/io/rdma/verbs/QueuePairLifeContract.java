package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.internal.ffi.QpStateTable;
import io.rdma.internal.ibv.Ibv;
import io.rdma.types.AccessFlag;
import io.rdma.types.AsyncEventType;
import io.rdma.types.Errno;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of the states of a queue pair: the attributes that each transition needs, those that can be changed and
 * read, and the requests that can be posted.
 */
abstract class QueuePairLifeContract {
    private static final int PATIENCE_MILLIS = 60_000;

    Pair pair;

    abstract String device();

    @BeforeEach
    void open() {
        pair = new Pair(
                device(), EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private void refused(QueuePairAttributes attributes, String... why) {
        QueuePairState before = pair.a.queryState();
        assertThatThrownBy(() -> pair.a.modify(attributes))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll(why);
        assertThat(pair.a.queryState()).isEqualTo(before);
    }

    @Test
    void everyStateIsReachedAndLeft() {
        assertThat(pair.a.queryState()).isEqualTo(QueuePairState.RESET);
        pair.connect();
        assertThat(pair.a.queryState()).isEqualTo(QueuePairState.RTS);
        pair.a.modify(QueuePairAttributes.toState(QueuePairState.SQD));
        assertThat(pair.a.queryState()).isEqualTo(QueuePairState.SQD);
        // Even an empty queue drains later: in rdma_rxe by a task, and until then the way back is refused.
        await("the queue is drained")
                .atMost(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .until(() -> !pair.a.query().sqDraining());
        pair.a.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        pair.a.moveToError();
        assertThat(pair.a.queryState()).isEqualTo(QueuePairState.ERR);
        pair.a.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        pair.b.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        pair.connect();
        write(8);
    }

    private void write(int length) {
        pair.request(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
        pair.fromA(length);
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 1);
        pair.assertSame(length);
    }

    @Test
    void allMissingAttributesOfATransitionAreNamed() {
        refused(
                QueuePairAttributes.toState(QueuePairState.INIT).port(1),
                "RESET to INIT",
                "IBV_QP_ACCESS_FLAGS and IBV_QP_PKEY_INDEX must be set");
        Pair.init(pair.a, Pair.REMOTE);
        refused(pair.toReadyToReceive(pair.b, 1).sqPsn(4), "INIT to RTR", "IBV_QP_SQ_PSN must not be set");
        refused(
                QueuePairAttributes.toState(QueuePairState.RTR).rqPsn(1),
                "IBV_QP_AV and IBV_QP_PATH_MTU and IBV_QP_MIN_RNR_TIMER and IBV_QP_MAX_DEST_RD_ATOMIC and IBV_QP_DEST_QPN");
        pair.a.modify(pair.toReadyToReceive(pair.b, 1));
        refused(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(1), "IBV_QP_TIMEOUT", "IBV_QP_RNR_RETRY");
    }

    @Test
    void anImpossibleTransitionIsReported() {
        refused(Pair.toReadyToSend(1), "RESET to RTS", "is not valid");
        Pair.init(pair.a, Pair.REMOTE);
        refused(Pair.toReadyToSend(1), "INIT to RTS", "is not valid");
        refused(QueuePairAttributes.toState(QueuePairState.SQD), "INIT to SQD", "is not valid");
        pair.a.moveToError();
        refused(QueuePairAttributes.toState(QueuePairState.RTS), "ERR to RTS", "is not valid");
    }

    @Test
    void aStateThatTheDeviceChangedIsNotTakenForTheOldOne() {
        pair.connect();
        pair.request(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey() ^ 0x7f00);
        pair.fromA(8);
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
        if (refusesChangesInError()) {
            refused(QueuePairAttributes.change().minRnrTimer(3), "ERR to ERR");
        }
        pair.a.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        Pair.init(pair.a, Pair.REMOTE);
    }

    @Test
    void attributesChangeInRts() {
        pair.connect();
        pair.a.modify(QueuePairAttributes.change().minRnrTimer(9).access(Set.of(AccessFlag.REMOTE_READ)));
        QueuePairInfo info = pair.a.query();
        assertThat(info.minRnrTimer()).isEqualTo(9);
        assertThat(info.qpAccessFlags()).contains(AccessFlag.REMOTE_READ).doesNotContain(AccessFlag.REMOTE_WRITE);
        refused(QueuePairAttributes.change().maxRdAtomic(2), "RTS to RTS", "IBV_QP_MAX_QP_RD_ATOMIC must not be set");
        pair.b.modify(QueuePairAttributes.change().access(Set.of()));
        pair.request(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
        pair.fromA(8);
        pair.post(pair.a);
        pair.expectNotAllowed(pair.queueA, 1);
    }

    @Test
    void aQueryShowsWhatWasSet() {
        QueuePairInfo fresh = pair.a.query();
        assertThat(fresh.qpState()).isEqualTo(QueuePairState.RESET);
        assertThat(fresh.sqSigAll()).isFalse();
        assertThat(fresh.capacity().maxSendWr()).isGreaterThanOrEqualTo(Pair.DEPTH);
        assertThat(fresh.capacity().maxReceiveWr()).isGreaterThanOrEqualTo(Pair.DEPTH);
        pair.connect();
        QueuePairInfo info = pair.a.query();
        assertThat(info.qpState()).isEqualTo(QueuePairState.RTS);
        assertThat(info.destQpNum()).isEqualTo(pair.b.number());
        assertThat(info.pathMtu()).isEqualTo(pair.context.queryPort(1).activeMtu());
        assertThat(info.maxRdAtomic()).isGreaterThanOrEqualTo(4);
        assertThat(info.maxDestRdAtomic()).isGreaterThanOrEqualTo(4);
        assertThat(info.timeout()).isEqualTo(14);
        assertThat(info.retryCnt()).isEqualTo(Pair.MANY_RETRIES);
        assertThat(info.rnrRetry()).isEqualTo(Pair.MANY_RETRIES);
        assertThat(info.minRnrTimer()).isEqualTo(1);
        assertThat(info.portNum()).isEqualTo(1);
        assertThat(info.pkeyIndex()).isZero();
        assertThat(info.sqDraining()).isFalse();
        assertThat(info.qpAccessFlags()).containsAll(Pair.REMOTE);
        assertThat(info.path()).isNotNull();
        assertThat(info.alternatePath()).isNull();
    }

    @Test
    void aQueuePairOfDatagramsHasNoPath() {
        try (QueuePair datagrams = pair.domain.createQueuePair(
                QueuePairType.UD, pair.queueA, pair.queueA, new QueuePairCapacity(Pair.DEPTH, Pair.DEPTH, 2, 1, 32))) {
            datagrams.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(1)
                    .qkey(0x11111111));
            datagrams.modify(QueuePairAttributes.toState(QueuePairState.RTR));
            datagrams.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(0));
            QueuePairInfo info = datagrams.query();
            assertThat(info.path()).isNull();
            assertThat(info.alternatePath()).isNull();
        }
    }

    @Test
    void requestsPostedInSqdWaitUntilRts() {
        pair.connect();
        write(64);
        try (AsyncEvents events = pair.context.asyncEvents()) {
            pair.a.modify(QueuePairAttributes.toState(QueuePairState.SQD).enSqdAsyncNotify(true));
            awaitDrained(events);
            assertThat(pair.a.query().sqDraining()).isFalse();
            pair.request(2, WorkRequestOpcode.RDMA_WRITE)
                    .remote(pair.memoryB.remote().address() + 64, pair.memoryB.rkey());
            pair.fromA(64);
            pair.post(pair.a);
            pair.a.modify(QueuePairAttributes.change().timeout(15));
            assertThat(pair.a.query().timeout()).isEqualTo(15);
            assertThat(pair.queueA.poll(pair.completion)).isZero();
            pair.a.modify(QueuePairAttributes.toState(QueuePairState.RTS));
            if (!resumes()) {
                writeAgain();
            }
            pair.succeeds(pair.queueA, 2);
        }
    }

    private void writeAgain() {
        pair.request(3, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
        pair.fromA(8);
        pair.post(pair.a);
    }

    /** Returns whether attributes cannot change in ERR. */
    boolean refusesChangesInError() {
        return true;
    }

    /** Returns whether requests that were posted in SQD are sent in RTS without another post. */
    boolean resumes() {
        return true;
    }

    static void awaitDrained(AsyncEvents events) {
        assertThat(events.await(PATIENCE_MILLIS)).as("an event").isTrue();
        AsyncEvent event = java.util.Objects.requireNonNull(events.take());
        assertThat(event.type()).isEqualTo(AsyncEventType.SQ_DRAINED);
    }

    @Test
    void resetForgetsEverything() {
        pair.connect();
        pair.receive(pair.b, pair.memoryB, 7, 64);
        pair.b.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        assertThat(pair.queueB.poll(pair.completion)).isZero();
        assertThat(pair.b.queryState()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void postingToAnotherStateThanItsOwnIsRefused() {
        Consumer<QueuePair> send = to -> {
            pair.sends.clear();
            pair.request(1, WorkRequestOpcode.SEND);
            pair.fromA(8);
            assertThat(to.post(pair.sends)).isEqualTo(-Errno.EINVAL);
        };
        send.accept(pair.a);
        pair.receives.clear();
        pair.receives.add(1).entry(pair.memoryA.segment().address(), 8, pair.memoryA.lkey());
        assertThat(pair.a.post(pair.receives)).isEqualTo(-Errno.EINVAL);
        Pair.init(pair.a, Pair.REMOTE);
        assertThat(pair.a.post(pair.receives)).isZero();
        send.accept(pair.a);
        pair.a.moveToError();
        pair.expect(pair.queueA, 1, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void requestsPostedInErrorAreFlushed() {
        pair.connect();
        pair.a.moveToError();
        pair.request(5, WorkRequestOpcode.SEND);
        pair.fromA(8);
        pair.post(pair.a);
        pair.expect(pair.queueA, 5, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void theStateTableCoversEveryTransport() {
        int path = Ibv.QP_AV | Ibv.QP_PATH_MTU | Ibv.QP_DEST_QPN | Ibv.QP_RQ_PSN;
        assertThat(QpStateTable.problem(Ibv.QPT_UC, Ibv.QPS_INIT, Ibv.QPS_RTR, path))
                .isNull();
        assertThat(QpStateTable.problem(Ibv.QPT_RC, Ibv.QPS_INIT, Ibv.QPS_RTR, path))
                .contains("IBV_QP_MIN_RNR_TIMER");
        assertThat(QpStateTable.problem(Ibv.QPT_UD, Ibv.QPS_INIT, Ibv.QPS_RTR, 0))
                .isNull();
        assertThat(QpStateTable.problem(Ibv.QPT_UD, Ibv.QPS_INIT, Ibv.QPS_RTR, path))
                .contains("must not be set");
        int init = Ibv.QP_PKEY_INDEX | Ibv.QP_PORT;
        assertThat(QpStateTable.problem(Ibv.QPT_UD, Ibv.QPS_RESET, Ibv.QPS_INIT, init | Ibv.QP_QKEY))
                .isNull();
        assertThat(QpStateTable.problem(Ibv.QPT_UC, Ibv.QPS_RTR, Ibv.QPS_RTS, Ibv.QP_SQ_PSN))
                .isNull();
        assertThat(QpStateTable.problem(Ibv.QPT_UC, Ibv.QPS_SQE, Ibv.QPS_RTS, 0))
                .isNull();
        assertThat(QpStateTable.problem(Ibv.QPT_RC, Ibv.QPS_SQE, Ibv.QPS_RTS, 0))
                .contains("is not valid");
        assertThat(QpStateTable.problem(Ibv.QPT_XRC_RECV, Ibv.QPS_RTR, Ibv.QPS_RTS, Ibv.QP_SQ_PSN | Ibv.QP_TIMEOUT))
                .isNull();
    }
}
