package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - The side's timer runs exactly in the states that wait for the peer or for delayed packets: REQ_SENT, REP_SENT,
// DREQ_SENT, SIDR_REQ_SENT, TIMEWAIT; and in ESTABLISHED on the active side, as long as it repeats its RTU.
// - `said` is the message to repeat: when the timer expires, in a state that waits for the peer; and in any state, when
// the peer repeats the message that it answers.
// - Not thread-safe: guarded by the owner.

/** One side's state of a connection or look-up, IB specification volume 1, 12.9. See docs/internals/soft-cm.md. */
final class CmConversation {
    /** States of the specification. Those in which an MRA was sent or received differ by the timer only. */
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
        /** The conversation is over and forgotten. */
        CLOSED
    }

    /** The owner of the conversation. Called by the thread that called the conversation. */
    interface Side {
        /** Sends a message to the peer. */
        void send(CmMad message);

        /** Schedules one call of {@link #expired} after a time, in place of an earlier one; 0 cancels it. */
        void timer(long nanos);

        /** Handles the peer's decision: a reply, ready, a rejection, or the answer of a look-up. */
        void heard(CmMad message);

        /** Notes that the peer does not answer. */
        void unanswered();

        /** Notes the end of the connection, by either side. */
        void disconnected();

        /** Notes that the conversation is closed; {@code connected} if it was ever a connection. */
        void forgotten(boolean connected);
    }

    /** Timeout of an answer as an exponent: 4.096 µs · 2¹⁸, about a second. */
    static final int TIMEOUT = 18;

    static final int MAX_RETRIES = 15;
    /** Time for an application to answer a request, as an exponent: 34 s. Then the peer repeats the request. */
    private static final int SERVICE_TIMEOUT = 23;

    private static final int LONGEST = 24;
    /** Upper bound of a peer's timeout in the time to linger, as an exponent: 4.3 s, which Linux uses. */
    private static final int USUAL_LONGEST = 20;

    private static final long GHOSTS = nanos(15);
    private static final long LINGER = TimeUnit.SECONDS.toNanos(20);
    /** Repeats of an RTU, which may be lost: the passive side may not repeat its reply, so it cannot ask again. */
    private static final int READY_REPEATS = 3;

    private static final Set<State> WITH_PEER = EnumSet.of(State.REP_RCVD, State.REP_SENT, State.ESTABLISHED);

    private final Side side;
    private final AmplificationLimit limit;
    final int localId;
    private int remoteId;
    private State state = State.IDLE;
    private @Nullable CmMad said;
    private int retries;
    private int timeout = TIMEOUT;
    private boolean toldToWait; // whether the peer was sent an MRA
    private int maxRetries = MAX_RETRIES;
    private int ownQpn;
    private int peerQpn;
    private long guid;
    private boolean connected;

    CmConversation(Side side, int localId) {
        this.side = side;
        limit = new AmplificationLimit(side);
        this.localId = localId;
    }

    /** Returns 4.096 µs · 2 to an exponent, in nanoseconds. */
    static long nanos(int exponent) {
        return 4096L << Math.min(exponent, LONGEST);
    }

    State state() {
        return state;
    }

    int remoteId() {
        return remoteId;
    }

    /** Begins a connection on the active side. */
    void request(CmRequest request) {
        ownQpn = request.qpn();
        guid = request.guid();
        say(request, State.REQ_SENT);
    }

    /** Begins a look-up. */
    void lookUp(CmLookup question) {
        say(question, State.SIDR_REQ_SENT);
    }

    /** Begins a connection on the passive side. */
    void requested(CmRequest request) {
        limit.begin();
        remoteId = request.localId();
        peerQpn = request.qpn();
        timeout = Math.max(TIMEOUT, Math.min(LONGEST, request.ownTimeout()));
        maxRetries = request.maxRetries();
        state = State.REQ_RCVD;
    }

    /** Begins with the look-up of a peer. */
    void lookedUp(CmLookup question) {
        limit.begin();
        remoteId = question.localId();
        state = State.SIDR_REQ_RCVD;
    }

    /** Notes that the peer has used the queue pair that the reply named. That counts as an RTU, which may be lost. */
    void used() {
        limit.end();
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

    /** Sends the RTU of the active side. */
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

    /** Ends the conversation after the peer's process has ended without a message. */
    void lost() {
        if (WITH_PEER.contains(state) || state == State.DREQ_SENT) {
            over();
        }
    }

    /** Ends the conversation in any state, after its identifier was destroyed. Sends the peer a matching message. */
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

    /** Handles a message of the peer for this conversation. */
    void heard(CmMad message) {
        limit.received(message.remoteId() == localId);
        react(message);
        limit.sendHeld(said);
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
            limit.send(rejection(CmReject.STALE_CONNECTION));
        } else {
            repeat(State.REP_SENT, State.TIMEWAIT);
        }
    }

    private void repeat(State... in) {
        CmMad again = said;
        if (again != null && Set.of(in).contains(state)) {
            limit.send(again);
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
            limit.send(said);
        } else if (reply.localId() != remoteId) {
            return; // of an older conversation
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
            limit.send(answer);
            over();
        } else if (state == State.TIMEWAIT) {
            limit.send(answer);
        }
    }

    /** Handles the expiry of the side's timer. */
    void expired() {
        CmMad again = said;
        switch (state) {
            case REQ_SENT, REP_SENT, DREQ_SENT, SIDR_REQ_SENT -> {
                if (again != null && retries < maxRetries) {
                    retries++;
                    limit.send(again);
                    side.timer(nanos(timeout));
                } else {
                    exhausted();
                }
            }
            case ESTABLISHED -> {
                if (again != null && retries < READY_REPEATS) {
                    retries++;
                    limit.send(again);
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

    /** Rejects for a timeout. The peer may not know this side's number, but it knows the device's GUID. */
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
        limit.send(message);
        side.timer(nanos(timeout));
    }

    /**
     * Returns how long an answer may have to be repeated. A peer that was sent an MRA asks again only after that time
     * and its own timeout. The timeout counts twice, because the answer to the repeat may be lost as well.
     */
    private long linger() {
        return toldToWait ? nanos(SERVICE_TIMEOUT) + 2 * nanos(Math.min(timeout, USUAL_LONGEST)) : LINGER;
    }

    private void tellToWait(int about) {
        toldToWait = true;
        limit.send(new CmMad.Received(localId, remoteId, about, SERVICE_TIMEOUT));
    }

    /** Ends a connection, established or not, and notifies the side. */
    private void over() {
        end(null, GHOSTS);
        side.disconnected();
    }

    private void end(@Nullable CmMad last, long nanos) {
        said = last;
        state = State.TIMEWAIT;
        if (last != null) {
            limit.send(last);
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
