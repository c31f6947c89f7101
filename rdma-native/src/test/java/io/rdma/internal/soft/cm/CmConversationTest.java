package io.rdma.internal.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.cm.CmConversation.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * States of a conversation without a network and without a clock. The test passes the messages of each side by hand.
 */
class CmConversationTest {
    private static final long ACTIVE_GUID = 11;

    private static final class Side implements CmConversation.Side {
        final List<CmMad> sent = new ArrayList<>();
        final List<Object> notified = new ArrayList<>();
        long timer;

        @Override
        public void send(CmMad message) {
            sent.add(message);
        }

        @Override
        public void timer(long nanos) {
            timer = nanos;
        }

        @Override
        public void heard(CmMad message) {
            notified.add(message);
        }

        @Override
        public void unanswered() {
            notified.add("unanswered");
        }

        @Override
        public void disconnected() {
            notified.add("disconnected");
        }

        @Override
        public void forgotten(boolean connected) {
            notified.add(connected ? "forgotten" : "never was");
        }

        CmMad last() {
            return sent.getLast();
        }
    }

    private final Side one = new Side();
    private final Side other = new Side();
    private final CmConversation active = new CmConversation(one, 0x1111);
    private final CmConversation passive = new CmConversation(other, 0x2222);
    private final CmRequest request = CmMadTest.request(0x1111, ACTIVE_GUID);
    private final CmReply reply =
            new CmReply(0x2222, 0x1111, 7, 70, 1, 1, false, 7, false, 22, new byte[CmReply.PRIVATE_DATA]);

    private void requested() {
        active.request(request);
        assertThat(one.last()).isEqualTo(request);
        passive.requested(request);
    }

    private void replied() {
        requested();
        passive.accept(reply);
        active.heard(reply);
        assertThat(one.notified).containsExactly(reply);
        assertThat(active.state()).isEqualTo(State.REP_RCVD);
        assertThat(one.timer).isZero();
    }

    private void established() {
        replied();
        active.establish();
        passive.heard(one.last());
        assertThat(active.state()).isEqualTo(State.ESTABLISHED);
        assertThat(passive.state()).isEqualTo(State.ESTABLISHED);
        assertThat(other.timer).isZero();
        one.notified.clear();
        other.notified.clear();
        one.sent.clear();
        other.sent.clear();
        one.timer = 0; // was set for the repetition of the RTU
    }

    @Test
    void aConnectionBeginsAndEnds() {
        established();
        active.disconnect();
        assertThat(one.last()).isEqualTo(new CmMad.Disconnect(0x1111, 0x2222, 7));
        passive.heard(one.last());
        assertThat(other.last()).isEqualTo(new CmMad.Disconnected(0x2222, 0x1111));
        active.heard(other.last());
        assertThat(one.notified).containsExactly("disconnected");
        assertThat(other.notified).containsExactly("disconnected");
        active.expired();
        passive.expired();
        assertThat(one.notified).containsExactly("disconnected", "forgotten");
        assertThat(active.state()).isEqualTo(State.CLOSED);
        assertThat(passive.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void bothDisconnectAtOnce() {
        established();
        active.disconnect();
        passive.disconnect();
        CmMad disconnect = one.last();
        active.heard(other.last());
        passive.heard(disconnect);
        assertThat(one.notified).containsExactly("disconnected");
        assertThat(other.notified).containsExactly("disconnected");
    }

    /** The address in a request may be forged. Its owner gets no more messages than were sent in its name. */
    @Test
    void anUnverifiedPeerGetsOneReplyPerRequest() {
        requested();
        passive.accept(reply);
        for (int i = 0; i < 3; i++) {
            passive.expired();
        }
        assertThat(other.sent).containsExactly(reply);
        passive.heard(request);
        assertThat(other.sent).containsExactly(reply, reply);
        while (passive.state() == State.REP_SENT) {
            passive.expired();
        }
        assertThat(other.notified).containsExactly("unanswered");
        assertThat(other.sent).as("no rejection either").containsExactly(reply, reply);
    }

    @Test
    void aRejectionIsHeldBackUntilThePeerIsVerified() {
        replied();
        passive.abandon();
        assertThat(other.sent).containsExactly(reply);
        active.establish();
        passive.heard(one.last());
        assertThat(other.last()).isInstanceOf(CmReject.class);
        assertThat(other.sent).hasSize(2);
    }

    @Test
    void aLookUpIsAnsweredOncePerRequest() {
        CmLookup question = new CmLookup(0x1111, 5, new byte[CmLookup.PRIVATE_DATA]);
        passive.lookedUp(question);
        passive.answer(new CmLookupReply(0x1111, CmLookupReply.VALID, 9, 5, 1, new byte[CmLookupReply.PRIVATE_DATA]));
        passive.heard(question);
        assertThat(other.sent).hasSize(2);
    }

    /**
     * A peer does not ask for a lost RTU, so it is sent again. The first use of the queue pair has the same effect as
     * the RTU.
     */
    @Test
    void aLostReadyIsSentAgainOrReplacedByUse() {
        replied();
        active.establish();
        CmMad ready = one.last();
        one.sent.clear();
        for (int i = 0; i < 10; i++) {
            active.expired();
        }
        assertThat(one.sent).isNotEmpty().hasSizeLessThan(10).containsOnly(ready);
        passive.used();
        assertThat(passive.state()).isEqualTo(State.ESTABLISHED);
        passive.heard(ready);
        passive.used();
        assertThat(other.notified).hasSize(1);
    }

    @Test
    void anUnansweredRequestTimesOut() {
        active.request(request);
        for (int i = 0; i < CmConversation.MAX_RETRIES; i++) {
            assertThat(one.timer).isEqualTo(CmConversation.nanos(CmConversation.TIMEOUT));
            active.expired();
        }
        assertThat(one.sent).hasSize(1 + CmConversation.MAX_RETRIES).containsOnly(request);
        active.expired();
        assertThat(one.notified).containsExactly("unanswered");
        assertThat(one.last())
                .isInstanceOfSatisfying(
                        CmReject.class, reject -> assertThat(reject.reason()).isEqualTo(CmReject.TIMEOUT));
        active.heard(reply); // too late
        assertThat(active.state()).isEqualTo(State.TIMEWAIT);
        active.expired();
        assertThat(one.notified).containsExactly("unanswered", "never was");
    }

    @Test
    void aRepeatedMessageIsAnsweredAgain() {
        requested();
        passive.heard(request);
        assertThat(other.last()).isEqualTo(new CmMad.Received(0x2222, 0x1111, CmMad.ABOUT_REQUEST, 23));
        active.heard(other.last());
        assertThat(one.timer).isGreaterThan(CmConversation.nanos(23));
        passive.accept(reply);
        passive.heard(request);
        assertThat(other.sent).endsWith(reply, reply);
        active.heard(reply);
        active.heard(reply);
        assertThat(one.last()).isEqualTo(new CmMad.Received(0x1111, 0x2222, CmMad.ABOUT_REPLY, 23));
        passive.heard(one.last());
        assertThat(other.timer).isGreaterThan(CmConversation.nanos(23));
        active.establish();
        active.heard(reply);
        CmMad ready = new CmMad.Ready(0x1111, 0x2222);
        assertThat(one.sent).endsWith(ready, ready);
        passive.heard(ready);
        passive.heard(ready);
        assertThat(other.notified).containsExactly(ready);
    }

    @Test
    void aRejectionIsDeliveredOnceAndSentAgain() {
        requested();
        passive.reject(CmReject.CONSUMER, new byte[] {1});
        CmMad reject = other.last();
        passive.heard(request);
        assertThat(other.sent).containsExactly(reject, reject);
        active.heard(reject);
        active.heard(reject);
        assertThat(one.notified).containsExactly(reject);
        assertThat(((CmReject) reject).privateData())
                .hasSize(CmReject.PRIVATE_DATA)
                .startsWith(1, 0);
    }

    @Test
    void aRejectionIsKeptForAsLongAsThePeerWasToldToWait() {
        requested();
        passive.heard(request); // the application has not decided yet
        active.heard(other.last());
        passive.reject(CmReject.CONSUMER, new byte[] {1}); // this one is lost
        assertThat(other.timer).isGreaterThan(one.timer).isGreaterThan(CmConversation.nanos(23));
        active.expired();
        passive.heard(one.last());
        active.heard(other.last());
        assertThat(one.notified).containsExactly(other.last());
    }

    @Test
    void messagesOfOtherConversationsChangeNothing() {
        established();
        active.heard(new CmMad.Disconnect(0x3333, 0x1111, 5));
        active.heard(new CmMad.Disconnect(0x2222, 0x1111, 6)); // another queue pair
        active.heard(CmReject.of(0x3333, 0x1111, 0, CmReject.CONSUMER));
        active.heard(new CmMad.Disconnected(0x2222, 0x1111));
        active.heard(new CmMad.Ready(0x2222, 0x1111));
        active.heard(new CmMad.Received(0x2222, 0x1111, 0, 31));
        active.heard(request);
        active.heard(new CmLookupReply(0x1111, 0, 1, 1, 1, new byte[0]));
        assertThat(active.state()).isEqualTo(State.ESTABLISHED);
        assertThat(one.notified).isEmpty();
        assertThat(one.sent).isEmpty();
        assertThat(one.timer).isZero();
    }

    @Test
    void anAbandonedPeerIsRejected() {
        requested();
        active.abandon();
        assertThat(one.last()).isInstanceOfSatisfying(CmReject.class, reject -> {
            assertThat(reject.reason()).isEqualTo(CmReject.TIMEOUT);
            assertThat(reject.information()).containsExactly(0, 0, 0, 0, 0, 0, 0, (int) ACTIVE_GUID);
        });
        passive.heard(one.last());
        assertThat(other.notified).containsExactly(one.last());
    }

    @Test
    void aClosedListenersRequestsAreRejected() {
        requested();
        passive.abandon();
        active.heard(other.last());
        assertThat(one.notified)
                .singleElement()
                .isInstanceOfSatisfying(
                        CmReject.class, reject -> assertThat(reject.reason()).isEqualTo(CmReject.CONSUMER));
    }

    @Test
    void anUnansweredDisconnectEndsTheConnectionToo() {
        established();
        active.disconnect();
        for (int i = 0; i <= CmConversation.MAX_RETRIES; i++) {
            active.expired();
        }
        assertThat(one.sent).hasSize(1 + CmConversation.MAX_RETRIES);
        assertThat(one.notified).containsExactly("disconnected");
    }

    @Test
    void aServiceIsLookedUp() {
        CmLookup question = new CmLookup(0x1111, 0x01110001, new byte[CmLookup.PRIVATE_DATA]);
        active.lookUp(question);
        active.expired();
        assertThat(one.sent).containsExactly(question, question);
        passive.lookedUp(question);
        passive.heard(question);
        assertThat(other.sent).isEmpty();
        CmLookupReply answer = new CmLookupReply(0x1111, 0, 9, 0x01110001, 1, new byte[0]);
        passive.answer(answer);
        passive.heard(question);
        assertThat(other.sent).containsExactly(answer, answer);
        active.heard(answer);
        active.heard(answer);
        assertThat(one.notified).containsExactly("never was", answer);
    }
}
