package io.rdma.internal.soft.cm;

import org.jspecify.annotations.Nullable;

// Invariants
// - A peer that begins a conversation may have forged its address. The peer proves its address when it sends the number
// that this side chose for the conversation, or uses the queue pair that this side's reply named: only a host that
// received the reply knows these. Until then it is sent at most one message for each one received. All messages have
// the same size.
// - Not thread-safe: guarded by the owner of the conversation.

/**
 * Limit of the messages that one conversation sends, so that a forged request directs no more traffic to the host whose
 * address it carries than the forger sent itself. It ends when the peer has proved its address. See
 * docs/internals/soft-cm.md.
 */
final class AmplificationLimit {
    private final CmConversation.Side side;
    private boolean shown = true; // whether the peer has proved that it receives at its address
    private int owed; // messages that may still be sent to it before that
    private @Nullable CmMad held; // message that was withheld for that reason

    /** Creates a limit, which is off until {@link #begin}. */
    AmplificationLimit(CmConversation.Side side) {
        this.side = side;
    }

    /** Turns the limit on, because a peer has begun the conversation, with one message. */
    void begin() {
        shown = false;
        owed = 1;
    }

    /** Turns the limit off, because the peer has proved its address. */
    void end() {
        shown = true;
    }

    /** Counts a message of the peer; {@code shows} if it has this side's number and so proves the address. */
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
