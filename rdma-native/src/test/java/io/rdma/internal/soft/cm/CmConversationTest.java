package io.rdma.internal.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.cm.CmConversation.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The conversation's states without a network and without a clock: each side's words are carried by hand. */
class CmConversationTest {
    private static final long ACTIVE_GUID = 11;

    private static final class Side implements CmConversation.Side {
        final List<CmMad> said = new ArrayList<>();
        final List<Object> told = new ArrayList<>();
        long timer;

        @Override
        public void send(CmMad message) {
            said.add(message);
        }

        @Override
        public void timer(long nanos) {
            timer = nanos;
        }

        @Override
        public void heard(CmMad message) {
            told.add(message);
        }

        @Override
        public void unanswered() {
            told.add("unanswered");
        }

        @Override
        public void disconnected() {
            told.add("disconnected");
        }

        @Override
        public void forgotten(boolean connected) {
            told.add(connected ? "forgotten" : "never was");
        }

        CmMad last() {
            return said.getLast();
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
        assertThat(one.told).containsExactly(reply);
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
        one.told.clear();
        other.told.clear();
        one.said.clear();
        other.said.clear();
        one.timer = 0; // of the RTU, which is said again
    }

    @Test
    void aConnectionBeginsAndEnds() {
        established();
        active.disconnect();
        assertThat(one.last()).isEqualTo(new CmMad.Disconnect(0x1111, 0x2222, 7));
        passive.heard(one.last());
        assertThat(other.last()).isEqualTo(new CmMad.Disconnected(0x2222, 0x1111));
        active.heard(other.last());
        assertThat(one.told).containsExactly("disconnected");
        assertThat(other.told).containsExactly("disconnected");
        active.expired();
        passive.expired();
        assertThat(one.told).containsExactly("disconnected", "forgotten");
        assertThat(active.state()).isEqualTo(State.CLOSED);
        assertThat(passive.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void bothDisconnectAtOnce() {
        established();
        active.disconnect();
        passive.disconnect();
        CmMad mine = one.last();
        active.heard(other.last());
        passive.heard(mine);
        assertThat(one.told).containsExactly("disconnected");
        assertThat(other.told).containsExactly("disconnected");
    }

    /** Whose address a request bears may never have asked: it is sent as much as was sent in its name. */
    @Test
    void aPeerThatHasNotShownThatItReceivesGetsOneAnswerForEachQuestion() {
        requested();
        passive.accept(reply);
        for (int i = 0; i < 3; i++) {
            passive.expired();
        }
        assertThat(other.said).containsExactly(reply);
        passive.heard(request);
        assertThat(other.said).containsExactly(reply, reply);
        while (passive.state() == State.REP_SENT) {
            passive.expired();
        }
        assertThat(other.told).containsExactly("unanswered");
        assertThat(other.said).as("no rejection either").containsExactly(reply, reply);
    }

    @Test
    void whatWasHeldIsSaidWhenThePeerHasShownThatItReceives() {
        replied();
        passive.abandon();
        assertThat(other.said).containsExactly(reply);
        active.establish();
        passive.heard(one.last());
        assertThat(other.last()).isInstanceOf(CmReject.class);
        assertThat(other.said).hasSize(2);
    }

    @Test
    void aLookUpIsAnsweredOnceForEachQuestion() {
        CmLookup question = new CmLookup(0x1111, 5, new byte[CmLookup.PRIVATE_DATA]);
        passive.lookedUp(question);
        passive.answer(new CmLookupReply(0x1111, CmLookupReply.VALID, 9, 5, 1, new byte[CmLookupReply.PRIVATE_DATA]));
        passive.heard(question);
        assertThat(other.said).hasSize(2);
    }

    /** Nobody asks for a lost RTU, so it is said again; the queue pair that is used says the same. */
    @Test
    void aLostReadyIsMadeUpFor() {
        replied();
        active.establish();
        CmMad ready = one.last();
        one.said.clear();
        for (int i = 0; i < 10; i++) {
            active.expired();
        }
        assertThat(one.said).isNotEmpty().hasSizeLessThan(10).containsOnly(ready);
        passive.used();
        assertThat(passive.state()).isEqualTo(State.ESTABLISHED);
        passive.heard(ready);
        passive.used();
        assertThat(other.told).hasSize(1);
    }

    @Test
    void nobodyAnswersARequest() {
        active.request(request);
        for (int i = 0; i < CmConversation.MAX_RETRIES; i++) {
            assertThat(one.timer).isEqualTo(CmConversation.nanos(CmConversation.TIMEOUT));
            active.expired();
        }
        assertThat(one.said).hasSize(1 + CmConversation.MAX_RETRIES).containsOnly(request);
        active.expired();
        assertThat(one.told).containsExactly("unanswered");
        assertThat(one.last())
                .isInstanceOfSatisfying(
                        CmReject.class, reject -> assertThat(reject.reason()).isEqualTo(CmReject.TIMEOUT));
        active.heard(reply); // too late
        assertThat(active.state()).isEqualTo(State.TIMEWAIT);
        active.expired();
        assertThat(one.told).containsExactly("unanswered", "never was");
    }

    @Test
    void whatComesAgainIsAnsweredAgain() {
        requested();
        passive.heard(request);
        assertThat(other.last()).isEqualTo(new CmMad.Received(0x2222, 0x1111, CmMad.ABOUT_REQUEST, 23));
        active.heard(other.last());
        assertThat(one.timer).isGreaterThan(CmConversation.nanos(23));
        passive.accept(reply);
        passive.heard(request);
        assertThat(other.said).endsWith(reply, reply);
        active.heard(reply);
        active.heard(reply);
        assertThat(one.last()).isEqualTo(new CmMad.Received(0x1111, 0x2222, CmMad.ABOUT_REPLY, 23));
        passive.heard(one.last());
        assertThat(other.timer).isGreaterThan(CmConversation.nanos(23));
        active.establish();
        active.heard(reply);
        CmMad ready = new CmMad.Ready(0x1111, 0x2222);
        assertThat(one.said).endsWith(ready, ready);
        passive.heard(ready);
        passive.heard(ready);
        assertThat(other.told).containsExactly(ready);
    }

    @Test
    void aRejectionIsHeardOnceAndSaidAgain() {
        requested();
        passive.reject(CmReject.CONSUMER, new byte[] {1});
        CmMad reject = other.last();
        passive.heard(request);
        assertThat(other.said).containsExactly(reject, reject);
        active.heard(reject);
        active.heard(reject);
        assertThat(one.told).containsExactly(reject);
        assertThat(((CmReject) reject).privateData())
                .hasSize(CmReject.PRIVATE_DATA)
                .startsWith(1, 0);
    }

    @Test
    void aRejectionIsKnownForAsLongAsTheOtherWasToldToWait() {
        requested();
        passive.heard(request); // the application takes its time
        active.heard(other.last());
        passive.reject(CmReject.CONSUMER, new byte[] {1}); // which is lost
        assertThat(other.timer).isGreaterThan(one.timer).isGreaterThan(CmConversation.nanos(23));
        active.expired();
        passive.heard(one.last());
        active.heard(other.last());
        assertThat(one.told).containsExactly(other.last());
    }

    @Test
    void nothingMovesWhoeverTheWordsAreNotOf() {
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
        assertThat(one.told).isEmpty();
        assertThat(one.said).isEmpty();
        assertThat(one.timer).isZero();
    }

    @Test
    void whoIsAbandonedIsTold() {
        requested();
        active.abandon();
        assertThat(one.last()).isInstanceOfSatisfying(CmReject.class, reject -> {
            assertThat(reject.reason()).isEqualTo(CmReject.TIMEOUT);
            assertThat(reject.information()).containsExactly(0, 0, 0, 0, 0, 0, 0, (int) ACTIVE_GUID);
        });
        passive.heard(one.last());
        assertThat(other.told).containsExactly(one.last());
    }

    @Test
    void aClosedListenersRequestsAreRejected() {
        requested();
        passive.abandon();
        active.heard(other.last());
        assertThat(one.told)
                .singleElement()
                .isInstanceOfSatisfying(
                        CmReject.class, reject -> assertThat(reject.reason()).isEqualTo(CmReject.CONSUMER));
    }

    @Test
    void aDisconnectThatNobodyHearsIsTheEndToo() {
        established();
        active.disconnect();
        for (int i = 0; i <= CmConversation.MAX_RETRIES; i++) {
            active.expired();
        }
        assertThat(one.said).hasSize(1 + CmConversation.MAX_RETRIES);
        assertThat(one.told).containsExactly("disconnected");
    }

    @Test
    void aServiceIsLookedUp() {
        CmLookup question = new CmLookup(0x1111, 0x01110001, new byte[CmLookup.PRIVATE_DATA]);
        active.lookUp(question);
        active.expired();
        assertThat(one.said).containsExactly(question, question);
        passive.lookedUp(question);
        passive.heard(question);
        assertThat(other.said).isEmpty();
        CmLookupReply answer = new CmLookupReply(0x1111, 0, 9, 0x01110001, 1, new byte[0]);
        passive.answer(answer);
        passive.heard(question);
        assertThat(other.said).containsExactly(answer, answer);
        active.heard(answer);
        active.heard(answer);
        assertThat(one.told).containsExactly("never was", answer);
    }
}
