package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Bounds;
import io.rdma.samples.simulation.schedule.Choices;

/**
 * Trouble that an application makes while it takes a message.
 *
 * @param at index of the message
 */
public record Trouble(Trouble.Kind kind, int at) {
    static final Trouble NONE = new Trouble(Kind.NONE, 0);

    public Trouble {
        Bounds.atLeast(0, at, "at");
    }

    /** Draws trouble. Most applications make none. */
    static Trouble of(Choices choices) {
        Kind kind = choices.oneIn(3) ? Kind.values()[choices.below(Kind.values().length)] : Kind.NONE;
        return new Trouble(kind, choices.below(DrawnPlan.MOST_MESSAGES));
    }

    /** Kind of trouble. */
    public enum Kind {
        NONE,
        /** It waits for two seconds, on the thread that delivers. */
        BLOCKS,
        /** It throws. */
        THROWS,
        /** It closes the connection. */
        CLOSES,
        /** It starts another call. */
        ACQUIRES;

        /** Returns whether messages may be missing after it. */
        boolean endsStream() {
            return this == THROWS || this == CLOSES;
        }
    }
}
