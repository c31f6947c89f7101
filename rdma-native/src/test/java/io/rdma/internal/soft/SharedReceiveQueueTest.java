package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Behaviour of shared receive queues that only the software device guarantees, and of messages that have arrived only
 * in part.
 */
class SharedReceiveQueueTest {
    private static final int PSN = 0x1000;
    private static final int PEER_QPN = 0x4711;
    private static final int MTU = 1024;
    private static final int DEPTH = 4;

    private final Packet packet = new Packet();
    private Arena arena;
    private UdpLink peer;
    private MemorySegment payload;
    private SoftSide side;
    private Srq srq;
    private Cq cq;
    private SoftSide receiver;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        peer = new UdpLink(SoftConfig.loopback(), new Counters());
        payload = arena.allocate(MTU, 8);
        side = new SoftSide(arena, SoftFaults.NONE);
        srq = side.verbs.createSrq(side.pd, new SrqAttr(DEPTH, 1, 0));
        cq = side.verbs.createCq(side.context, 16, 0, 0);
        receiver = new SoftSide(arena, side, cq, srq.handle());
        receiver.connect(SoftAddress.gid(peer.local()), PEER_QPN, PSN);
    }

    @AfterEach
    void close() {
        receiver.closeQueuePair();
        side.verbs.destroyCq(cq.handle());
        side.verbs.destroySrq(srq.handle());
        side.close();
        peer.close();
        arena.close();
    }

    private void send(int opcode, int psn, int bytes) {
        send(receiver, opcode, psn, bytes);
    }

    private void send(SoftSide to, int opcode, int psn, int bytes) {
        packet.reset(opcode, to.qp.qpNum(), psn);
        packet.ackRequest = true;
        packet.addPiece(payload.address(), bytes);
        peer.send(packet, SoftAddress.of(side.gid()));
        peer.flush();
    }

    private int post(long wrId) {
        return receiver.postShared(srq.handle(), wrId, 0, 4 * MTU);
    }

    private void arm(int limit) {
        side.verbs.modifySrq(srq.handle(), new SrqAttr(0, 0, limit), Ibv.SRQ_LIMIT);
    }

    private void expectEvent(int type, long element) {
        assertThat(side.verbs.pollAsyncEvents(side.context, 30_000)).isTrue();
        AsyncEventEntry event = side.verbs.getAsyncEvent(side.context);
        assertThat(event).isNotNull();
        assertThat(event.eventType()).isEqualTo(type);
        assertThat(event.element()).isEqualTo(element);
    }

    /** Receives the first packet of a message. The limit event shows that the queue pair has its receive. */
    private void receiveHalf() {
        assertThat(post(1)).isZero();
        assertThat(post(2)).isZero();
        arm(2);
        send(Opcode.SEND_FIRST, PSN, MTU);
        expectEvent(Ibv.EVENT_SRQ_LIMIT_REACHED, srq.handle());
    }

    @Test
    void theReceiveOfAMessageThatWasArrivingIsFlushedAndTheOthersStay() {
        receiveHalf();
        receiver.moveToError();
        expectEvent(Ibv.EVENT_QP_LAST_WQE_REACHED, receiver.qp.handle());
        receiver.expect(1, Ibv.WC_WR_FLUSH_ERR);
        assertThat(receiver.poll()).isZero();
        receiver.moveToError();
        assertThat(side.verbs.getAsyncEvent(side.context)).as("told once").isNull();
        receiver.reset();
        receiver.connect(SoftAddress.gid(peer.local()), PEER_QPN, PSN);
        send(Opcode.SEND_ONLY, PSN, 8);
        receiver.expect(2);
        receiver.moveToError();
        expectEvent(Ibv.EVENT_QP_LAST_WQE_REACHED, receiver.qp.handle());
    }

    @Test
    void aMessageThatWasArrivingIsForgottenByAResetAndItsPlaceIsFree() {
        receiveHalf();
        assertThat(post(3)).isZero();
        assertThat(post(4)).isZero();
        assertThat(post(5)).as("the one that arrives still has its place").isEqualTo(-Errno.ENOMEM);
        receiver.reset();
        assertThat(receiver.poll()).isZero();
        assertThat(post(5)).isZero();
    }

    /**
     * The queue wraps around while a queue pair is still receiving a message. The receive of that message stays
     * reserved.
     */
    @Test
    void theReceiveOfAMessageThatIsArrivingIsNotOverwritten() {
        Cq otherCq = side.verbs.createCq(side.context, 16, 0, 0);
        SoftSide other = new SoftSide(arena, side, otherCq, srq.handle());
        other.connect(SoftAddress.gid(peer.local()), PEER_QPN, PSN);
        receiveHalf();
        for (int i = 0; i < 2 * DEPTH; i++) {
            send(other, Opcode.SEND_ONLY, PSN + i, 8);
            other.expect(2 + i);
            assertThat(post(3 + i)).isZero();
        }
        send(Opcode.SEND_LAST, PSN + 1, 8);
        receiver.expect(1);
        other.closeQueuePair();
        side.verbs.destroyCq(otherCq.handle());
    }

    @Test
    void theReceiveOfABrokenMessageIsFlushedWithEvents() {
        receiveHalf();
        send(Opcode.SEND_ONLY, PSN + 1, 8); // the previous message has no end
        expectEvent(Ibv.EVENT_QP_REQ_ERR, receiver.qp.handle());
        receiver.expect(1, Ibv.WC_WR_FLUSH_ERR);
        expectEvent(Ibv.EVENT_QP_LAST_WQE_REACHED, receiver.qp.handle());
    }

    /**
     * As in other queues, a receive keeps its place until its completion is polled. Until then the software device has
     * no more room than the most limited of all devices.
     */
    @Test
    void aPlaceIsFreeWhenTheCompletionIsPolled() {
        for (int i = 0; i < DEPTH; i++) {
            assertThat(post(i)).isZero();
        }
        assertThat(post(9)).isEqualTo(-Errno.ENOMEM);
        arm(DEPTH);
        send(Opcode.SEND_ONLY, PSN, 8);
        expectEvent(Ibv.EVENT_SRQ_LIMIT_REACHED, srq.handle());
        assertThat(post(9)).isEqualTo(-Errno.ENOMEM);
        receiver.expect(0);
        assertThat(post(9)).isZero();
    }

    @Test
    void anotherDomainIsRefused() {
        long other = side.verbs.allocPd(side.context);
        QpCap cap = new QpCap(1, 0, 1, 0, 0);
        assertThatThrownBy(() -> side.verbs.createQp(
                        other, new QpInitAttr(cq.handle(), cq.handle(), srq.handle(), cap, Ibv.QPT_RC, false)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        side.verbs.deallocPd(other);
    }

    @Test
    void eventsOfDestroyedObjectsAreDropped() {
        receiveHalf();
        receiver.moveToError();
        receiver.closeQueuePair();
        assertThat(side.verbs.getAsyncEvent(side.context)).isNull();
        receiver = new SoftSide(arena, side, cq, srq.handle());
    }
}
