package io.rdma.internal.soft.cm;

import org.jspecify.annotations.Nullable;

// Invariants
// - A peer that begins a conversation may have forged its address. Until it sends this side's number, or uses the queue
// pair that the reply named, it is sent at most one message for each one received. All messages have the same size.
// - Not thread-safe: guarded by the owner of the conversation.

/** Limit of the messages to a peer that has not shown that it receives at its address; docs/internals/soft-cm.md. */
final class AmplificationLimit {
    private final CmConversation.Side side;
    private boolean shown = true; // whether the peer has proved that it receives at its address
    private int owed; // messages that the peer may be sent before that
    private @Nullable CmMad held; // message that was withheld for that reason

    /** Creates the limit of a conversation, which does not limit anything yet. */
    AmplificationLimit(CmConversation.Side side) {
        this.side = side;
    }

    /** Begins: a peer has begun the conversation, with one message. */
    void begin() {
        shown = false;
        owed = 1;
    }

    /** Ends: the peer has shown that it receives at its address. */
    void end() {
        shown = true;
    }

    /** Notes a message of the peer; {@code shows} if it has this side's number. */
    void received(boolean shows) {
        if (!shown) {
            owed++;
            shown = shows;
        }
    }

    /** Sends a message, or holds it if the peer may not be sent one yet. */
    void send(CmMad message) {
        if (shown || owed > 0) {
            owed--;
            held = null;
            side.send(message);
        } else {
            held = message;
        }
    }

    /** Sends the message that was held, if it is still the one to repeat and the peer may be sent one now. */
    void sendHeld(@Nullable CmMad repeated) {
        CmMad last = held;
        if (last != null && last.equals(repeated)) {
            send(last);
        }
    }
}
