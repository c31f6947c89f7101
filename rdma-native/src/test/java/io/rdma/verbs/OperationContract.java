package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of flags and special cases of single operations: no data, fences, solicited events, full queues, refused
 * atomics.
 */
abstract class OperationContract {
    private static final int PATIENCE_MILLIS = 60_000;

    private Pair pair;

    abstract String device();

    /** Returns whether a queue that is armed for solicited completions wakes for flushed receives. */
    boolean wakesForFlushes() {
        return true;
    }

    @BeforeEach
    void open() {
        pair = new Pair(device(), Pair.REMOTE);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private SendChain toB(long wrId, WorkRequestOpcode opcode) {
        return pair.request(wrId, opcode).remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"SEND", "SEND_WITH_IMM", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ"})
    void aRequestMayMoveNoBytes(WorkRequestOpcode opcode) {
        pair.connect();
        if (opcode.consumesReceive()) {
            pair.receive(pair.b, pair.memoryB, 7, 64);
        }
        toB(1, opcode).immediate(0x11223344);
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 1);
        if (opcode.consumesReceive()) {
            pair.succeeds(pair.queueB, 7);
            boolean immediate =
                    opcode == WorkRequestOpcode.SEND_WITH_IMM || opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
            assertThat(pair.completion.hasImmediate(0)).isEqualTo(immediate);
            if (immediate) {
                assertThat(pair.completion.immediate(0)).isEqualTo(0x11223344);
            }
            if (!pair.completion.isReceiveOfWrite(0)) {
                assertThat(pair.completion.byteLength(0)).isZero();
            }
        }
    }

    @Test
    void aRequestThatMovesNoBytesNeedsNoKey() {
        pair.connect();
        pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(0, 0); // IB specification volume 1, 9.7.4.1.5: not checked
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 1);
    }

    @Test
    void aFencedRequestWaitsForTheReadsBeforeIt() {
        pair.connect();
        pair.memoryB.segment().set(ValueLayout.JAVA_LONG, 0, 0x0102030405060708L);
        for (int round = 0; round < 20; round++) {
            pair.receive(pair.b, pair.memoryB, 7, 4096);
            long marker = 0x1000L + round;
            pair.memoryB.segment().set(ValueLayout.JAVA_LONG, 8192, marker);
            // The read fills the memory that the send transmits.
            pair.request(1, WorkRequestOpcode.RDMA_READ)
                    .remote(pair.memoryB.remote().address() + 8192, pair.memoryB.rkey())
                    .entry(pair.memoryA.segment().address(), 8, pair.memoryA.lkey());
            pair.request(2, WorkRequestOpcode.SEND).fence();
            pair.fromA(8);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            pair.succeeds(pair.queueA, 2);
            pair.succeeds(pair.queueB, 7);
            assertThat(pair.memoryB.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(marker);
        }
    }

    @Test
    void aQueueArmedForSolicitedCompletionsWakesForThemAlone() {
        pair.connect();
        pair.receive(pair.b, pair.memoryB, 7, 64);
        pair.receive(pair.b, pair.memoryB, 8, 64);
        pair.queueB.requestNotifySolicited();
        pair.request(1, WorkRequestOpcode.SEND);
        pair.fromA(8);
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 1);
        pair.succeeds(pair.queueB, 7);
        assertThat(pair.channel.await(0)).as("an event for a plain send").isFalse();
        pair.request(2, WorkRequestOpcode.SEND).solicited();
        pair.fromA(8);
        pair.post(pair.a);
        assertThat(pair.channel.await(PATIENCE_MILLIS)).as("an event").isTrue();
        pair.channel.takeEvent();
        pair.queueB.acknowledge(1);
        pair.succeeds(pair.queueA, 2);
        pair.succeeds(pair.queueB, 8);
    }

    @Test
    void aQueueArmedForSolicitedCompletionsWakesForErrors() {
        Assumptions.assumeTrue(wakesForFlushes(), "this device raises no event for flushed receives then");
        pair.connect();
        pair.receive(pair.b, pair.memoryB, 7, 64);
        pair.queueB.requestNotifySolicited();
        pair.b.moveToError();
        assertThat(pair.channel.await(PATIENCE_MILLIS)).as("an event").isTrue();
        pair.channel.takeEvent();
        pair.queueB.acknowledge(1);
        pair.expect(pair.queueB, 7, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void aFullReceiveQueueSaysSo() {
        pair.connect();
        Assumptions.assumeTrue(
                pair.b.capacity().maxReceiveWr() < 4 * Pair.DEPTH, "this device granted a longer queue than asked for");
        int result = 0;
        int posted = 0;
        while (result == 0) {
            pair.receives.clear();
            pair.receives.add(posted).entry(pair.memoryB.remote().address(), 64, pair.memoryB.lkey());
            result = pair.b.post(pair.receives);
            posted += result == 0 ? 1 : 0;
        }
        assertThat(result).isEqualTo(-Errno.ENOMEM);
        assertThat(posted).isBetween(Pair.DEPTH, 4 * Pair.DEPTH);
    }

    @Test
    void moreEntriesThanGrantedAreRefused() {
        pair.connect();
        int granted =
                Math.max(pair.b.capacity().maxReceiveSge(), pair.a.capacity().maxSendSge());
        ReceiveChain receives = new ReceiveChain(1, granted + 1);
        SendChain sends = new SendChain(1, granted + 1);
        receives.add(1);
        sends.add(1, WorkRequestOpcode.SEND);
        for (int i = 0; i <= granted; i++) {
            receives.entry(pair.memoryB.remote().address(), 8, pair.memoryB.lkey());
            sends.entry(pair.memoryA.segment().address(), 8, pair.memoryA.lkey());
        }
        assertThat(pair.b.post(receives)).isEqualTo(-Errno.EINVAL);
        assertThat(pair.a.post(sends)).isIn(-Errno.EINVAL, -Errno.ENOMEM);
        assertThat(pair.a.postedBeforeFailure(sends)).isZero();
    }

    @Test
    void moreInlineDataThanGrantedIsRefused() {
        pair.connect();
        pair.request(1, WorkRequestOpcode.SEND).inline();
        pair.fromA(pair.a.capacity().maxInlineData() + 1);
        assertThat(pair.a.post(pair.sends)).isIn(-Errno.EINVAL, -Errno.ENOMEM);
        pair.sends.clear();
    }

    private SendChain fetchAndAdd(long offset, int rkey) {
        return pair.request(1, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
                .atomic(pair.memoryB.remote().address() + offset, rkey, 1, 0);
    }

    private void result(int lkey) {
        pair.sends.entry(pair.memoryA.segment().address(), 8, lkey);
    }

    @Test
    void anAtomicNeedsTheRightOfTheQueuePair() {
        pair.connect(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
        fetchAndAdd(0, pair.memoryB.rkey());
        result(pair.memoryA.lkey());
        pair.post(pair.a);
        pair.expectNotAllowed(pair.queueA, 1);
    }

    @Test
    void anAtomicNeedsTheRightOfTheRegion() {
        pair.connect();
        try (MemoryRegion plain = pair.domain.allocate(64, EnumSet.of(AccessFlag.REMOTE_WRITE))) {
            pair.request(1, WorkRequestOpcode.ATOMIC_CMP_AND_SWP).atomic(plain.address(), plain.rkey(), 0, 1);
            result(pair.memoryA.lkey());
            pair.post(pair.a);
            pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void anAtomicNeedsItsKeys() {
        pair.connect();
        fetchAndAdd(0, pair.memoryB.rkey() ^ 0x100);
        result(pair.memoryA.lkey());
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void anAtomicsResultNeedsItsKey() {
        pair.connect();
        fetchAndAdd(0, pair.memoryB.rkey());
        result(pair.memoryA.lkey() ^ 0x100);
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, WorkCompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void anAtomicIsAlignedOrRefused() {
        pair.connect();
        fetchAndAdd(4, pair.memoryB.rkey());
        result(pair.memoryA.lkey());
        int posted = pair.a.post(pair.sends);
        pair.sends.clear();
        if (posted == 0) {
            pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_INV_REQ_ERR);
        } else {
            assertThat(posted).isEqualTo(-Errno.EINVAL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 12})
    void aCompletionQueueIsResizedWithWhatIsInIt(int pending) {
        pair.connect();
        for (int i = 0; i < pending; i++) {
            toB(i, WorkRequestOpcode.RDMA_WRITE);
            pair.fromA(8);
        }
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 0);
        int before = pair.queueA.entries();
        try {
            pair.queueA.resize(2 * before);
        } catch (VerbsException e) {
            assertThat(e.errno()).as(e.getMessage()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            Assumptions.abort("this device cannot resize: " + e.getMessage());
        }
        assertThat(pair.queueA.entries()).isGreaterThanOrEqualTo(2 * before);
        for (int i = 1; i < pending; i++) {
            pair.succeeds(pair.queueA, i);
        }
        toB(99, WorkRequestOpcode.RDMA_WRITE);
        pair.fromA(8);
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 99);
    }
}
