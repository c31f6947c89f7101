package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - The side's timer runs exactly in the states that wait for the peer or for ghosts: REQ_SENT, REP_SENT, DREQ_SENT,
// SIDR_REQ_SENT, TIMEWAIT; and in ESTABLISHED on the active side, as long as it repeats its RTU.
// - A peer that asks may have written another's address into its request. Until it says this side's number, or uses the
// queue pair that the reply named, it is sent one message at most for each of its own, which are all of one size.
// - `said` is what is said again: in a state that waits for the peer when the timer expires, in all when the peer
// repeats what it answers.
// - Not thread-safe: guarded by the owner.

/**
 * What one side knows of one connection or look-up, IB specification volume 1, 12.9; states are in
 * docs/internals/soft-cm.md.
 */
final class CmConversation {
    /** Of the specification; those in which an MRA was said or heard differ by the timer only. */
    enum State {
        IDLE,
        REQ_SENT,
        REP_RCVD,
        REQ_RCVD,
        REP_SENT,
        ESTABLISHED,
        DREQ_SENT,
        TIMEWAIT,
        SIDR_REQ_SENT,
        SIDR_REQ_RCVD,
        /** Over, and nothing is known of it any more. */
        CLOSED
    }

    /** Who has the conversation. Called by the thread that called the conversation. */
    interface Side {
        /** Says something to the peer. */
        void send(CmMad message);

        /** {@link #expired} is to be called once after so long; 0: not any more. */
        void timer(long nanos);

        /** The peer agreed, or did not: a reply, ready, a rejection, the answer of a look-up. */
        void heard(CmMad message);

        /** The peer does not answer. */
        void unanswered();

        /** The connection has ended; whoever began it. */
        void disconnected();

        /** Nothing of it is left; {@code connected}: and it was a connection once. */
        void forgotten(boolean connected);
    }

    /** 4.096 µs · 2¹⁸, about a second: until an answer. */
    static final int TIMEOUT = 18;

    static final int MAX_RETRIES = 15;
    /** What an application may take, 34 s; then it is said again. */
    private static final int SERVICE_TIMEOUT = 23;

    private static final int LONGEST = 24;
    /** 4.3 s, Linux' own: who says a longer one is not remembered for longer. */
    private static final int USUAL_LONGEST = 20;

    private static final long GHOSTS = nanos(15);
    private static final long LINGER = TimeUnit.SECONDS.toNanos(20);
    /** A lost RTU: nobody asks for it again, as the passive side may not say its reply twice. */
    private static final int READY_REPEATS = 3;

    private static final Set<State> WITH_PEER = EnumSet.of(State.REP_RCVD, State.REP_SENT, State.ESTABLISHED);

    private final Side side;
    final int localId;
    private int remoteId;
    private State state = State.IDLE;
    private @Nullable CmMad said;
    private int retries;
    private int timeout = TIMEOUT;
    private boolean toldToWait; // the peer
    private int maxRetries = MAX_RETRIES;
    private int ownQpn;
    private int peerQpn;
    private long guid;
    private boolean connected;
    private boolean shown = true; // that the peer receives what is sent to its address
    private int owed; // messages that the peer may be sent although it has not
    private @Nullable CmMad held; // was not said for that reason

    CmConversation(Side side, int localId) {
        this.side = side;
        this.localId = localId;
    }

    /** 4.096 µs to the power of two. */
    static long nanos(int exponent) {
        return 4096L << Math.min(exponent, LONGEST);
    }

    State state() {
        return state;
    }

    int remoteId() {
        return remoteId;
    }

    /** The active side begins. */
    void request(CmRequest request) {
        ownQpn = request.qpn();
        guid = request.guid();
        say(request, State.REQ_SENT);
    }

    /** A look-up begins. */
    void lookUp(CmLookup question) {
        say(question, State.SIDR_REQ_SENT);
    }

    /** The passive side begins. */
    void requested(CmRequest request) {
        asked();
        remoteId = request.localId();
        peerQpn = request.qpn();
        timeout = Math.max(TIMEOUT, Math.min(LONGEST, request.ownTimeout()));
        maxRetries = request.maxRetries();
        state = State.REQ_RCVD;
    }

    /** A peer looks a service up. */
    void lookedUp(CmLookup question) {
        asked();
        remoteId = question.localId();
        state = State.SIDR_REQ_RCVD;
    }

    /** A peer has begun, with one message. */
    private void asked() {
        shown = false;
        owed = 1;
    }

    /** Sends, or holds what may not be sent yet. */
    private void send(CmMad message) {
        if (shown || owed > 0) {
            owed--;
            held = null;
            side.send(message);
        } else {
            held = message;
        }
    }

    /** The peer's queue pair has used the one that the reply named: as good as an RTU, which may have been lost. */
    void used() {
        shown = true;
        if (state == State.REP_SENT) {
            ready(new CmMad.Ready(remoteId, localId));
        }
    }

    void accept(CmReply reply) {
        ownQpn = reply.qpn();
        say(reply, State.REP_SENT);
    }

    void answer(CmLookupReply reply) {
        end(reply, linger());
    }

    void reject(int reason, byte[] data) {
        end(rejection(reason).saying(data), linger());
    }

    /** The active side is ready. */
    void establish() {
        connected = true;
        say(new CmMad.Ready(localId, remoteId), State.ESTABLISHED);
    }

    /** Ends the connection, unless it has ended. */
    void disconnect() {
        if (WITH_PEER.contains(state)) {
            say(new CmMad.Disconnect(localId, remoteId, peerQpn), State.DREQ_SENT);
        }
    }

    /** The peer is gone, and says nothing any more. */
    void lost() {
        if (WITH_PEER.contains(state) || state == State.DREQ_SENT) {
            over();
        }
    }

    /** Nobody here wants it any more: the peer is told what fits. */
    void abandon() {
        switch (state) {
            case REQ_SENT -> giveUp();
            case REQ_RCVD, REP_RCVD, REP_SENT -> end(rejection(CmReject.CONSUMER), linger());
            case SIDR_REQ_RCVD ->
                end(new CmLookupReply(remoteId, CmLookupReply.REJECT, 0, 0, 0, new byte[0]), linger());
            case ESTABLISHED -> disconnect();
            case IDLE, SIDR_REQ_SENT -> close();
            default -> {}
        }
    }

    /** A message of the peer's for this conversation. */
    void heard(CmMad message) {
        if (!shown) {
            owed++;
            shown = message.remoteId() == localId;
        }
        react(message);
        CmMad last = held;
        if (last != null && last.equals(said)) {
            send(last);
        }
    }

    private void react(CmMad message) {
        switch (message) {
            case CmRequest again -> requestedAgain();
            case CmLookup again -> repeat(State.TIMEWAIT);
            case CmReply reply -> replied(reply);
            case CmMad.Ready ready -> ready(ready);
            case CmMad.Received received -> received(received);
            case CmReject reject -> rejected(reject);
            case CmMad.Disconnect disconnect -> ended(disconnect);
            case CmMad.Disconnected answer -> {
                if (state == State.DREQ_SENT && answer.remoteId() == localId) {
                    over();
                }
            }
            case CmLookupReply answer -> {
                if (state == State.SIDR_REQ_SENT) {
                    close();
                    side.heard(answer);
                }
            }
        }
    }

    private void requestedAgain() {
        if (state == State.REQ_RCVD) {
            tellToWait(CmMad.ABOUT_REQUEST);
        } else if (state == State.TIMEWAIT && !(said instanceof CmReject)) {
            send(rejection(CmReject.STALE_CONNECTION));
        } else {
            repeat(State.REP_SENT, State.TIMEWAIT);
        }
    }

    private void repeat(State... in) {
        CmMad again = said;
        if (again != null && Set.of(in).contains(state)) {
            send(again);
        }
    }

    private void replied(CmReply reply) {
        if (state == State.REQ_SENT) {
            remoteId = reply.localId();
            peerQpn = reply.qpn();
            said = null;
            state = State.REP_RCVD;
            side.timer(0);
            side.heard(reply);
        } else if (state == State.TIMEWAIT && said instanceof CmReject) {
            send(said);
        } else if (reply.localId() != remoteId) {
            return; // of another time
        } else if (state == State.REP_RCVD) {
            tellToWait(CmMad.ABOUT_REPLY);
        } else if (said instanceof CmMad.Ready) {
            repeat(State.ESTABLISHED);
        }
    }

    private void ready(CmMad.Ready ready) {
        if (state == State.REP_SENT && ready.localId() == remoteId) {
            connected = true;
            said = null;
            state = State.ESTABLISHED;
            side.timer(0);
            side.heard(ready);
        }
    }

    private void received(CmMad.Received received) {
        boolean ofRequest = state == State.REQ_SENT && received.about() == CmMad.ABOUT_REQUEST;
        boolean ofReply =
                state == State.REP_SENT && received.about() == CmMad.ABOUT_REPLY && received.localId() == remoteId;
        boolean ofLookup = state == State.SIDR_REQ_SENT && received.about() == CmMad.ABOUT_REQUEST;
        if (ofRequest || ofReply || ofLookup) {
            side.timer(nanos(received.timeout()) + nanos(timeout));
        }
    }

    private void rejected(CmReject reject) {
        boolean whole = remoteId == reject.localId();
        switch (state) {
            case REQ_SENT -> {
                end(null, GHOSTS);
                side.heard(reject);
            }
            case REQ_RCVD, REP_RCVD, REP_SENT -> {
                if (whole) {
                    end(null, GHOSTS);
                    side.heard(reject);
                }
            }
            case ESTABLISHED, DREQ_SENT -> {
                if (whole) {
                    over();
                }
            }
            default -> {}
        }
    }

    private void ended(CmMad.Disconnect disconnect) {
        if (disconnect.localId() != remoteId || disconnect.qpn() != ownQpn) {
            return;
        }
        CmMad answer = new CmMad.Disconnected(localId, remoteId);
        if (WITH_PEER.contains(state) || state == State.DREQ_SENT) {
            send(answer);
            over();
        } else if (state == State.TIMEWAIT) {
            send(answer);
        }
    }

    /** The side's timer. */
    void expired() {
        CmMad again = said;
        switch (state) {
            case REQ_SENT, REP_SENT, DREQ_SENT, SIDR_REQ_SENT -> {
                if (again != null && retries < maxRetries) {
                    retries++;
                    send(again);
                    side.timer(nanos(timeout));
                } else {
                    exhausted();
                }
            }
            case ESTABLISHED -> {
                if (again != null && retries < READY_REPEATS) {
                    retries++;
                    send(again);
                    side.timer(nanos(timeout));
                }
            }
            case TIMEWAIT -> close();
            default -> {}
        }
    }

    private void exhausted() {
        switch (state) {
            case DREQ_SENT -> over();
            case SIDR_REQ_SENT -> {
                close();
                side.unanswered();
            }
            case REQ_SENT -> {
                giveUp();
                side.unanswered();
            }
            default -> {
                end(rejection(CmReject.TIMEOUT), linger());
                side.unanswered();
            }
        }
    }

    /** The peer may not know this side's number, but it knows the device's GUID. */
    private void giveUp() {
        byte[] who = ByteBuffer.allocate(Long.BYTES).putLong(guid).array();
        end(new CmReject(localId, 0, CmMad.ABOUT_REQUEST, CmReject.TIMEOUT, who, new byte[0]), linger());
    }

    private CmReject rejection(int reason) {
        int about = switch (state) {
            case REQ_RCVD, TIMEWAIT -> CmMad.ABOUT_REQUEST;
            case REP_RCVD -> CmMad.ABOUT_REPLY;
            default -> CmMad.ABOUT_OTHER;
        };
        return CmReject.of(localId, remoteId, about, reason);
    }

    private void say(CmMad message, State next) {
        said = message;
        state = next;
        retries = 0;
        send(message);
        side.timer(nanos(timeout));
    }

    /**
     * An answer may have to be given again for so long. A peer that was told to wait asks again only when that time and
     * its own are over; twice its own, because the answer to that may be lost as well.
     */
    private long linger() {
        return toldToWait ? nanos(SERVICE_TIMEOUT) + 2 * nanos(Math.min(timeout, USUAL_LONGEST)) : LINGER;
    }

    private void tellToWait(int about) {
        toldToWait = true;
        send(new CmMad.Received(localId, remoteId, about, SERVICE_TIMEOUT));
    }

    /** The end of what was, or nearly was, a connection. */
    private void over() {
        end(null, GHOSTS);
        side.disconnected();
    }

    private void end(@Nullable CmMad last, long nanos) {
        said = last;
        state = State.TIMEWAIT;
        if (last != null) {
            send(last);
        }
        side.timer(nanos);
    }

    private void close() {
        boolean was = connected;
        said = null;
        state = State.CLOSED;
        side.timer(0);
        side.forgotten(was);
    }
}
