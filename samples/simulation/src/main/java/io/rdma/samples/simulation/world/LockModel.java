package io.rdma.samples.simulation.world;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Model of a lock: tokens grow, each has one holder, and nobody gets the lock within the lease of another one. */
final class LockModel {
    private final long lease;
    private final Complaints complaints;
    private final List<Acquisition> acquisitions = new ArrayList<>();
    private final Set<Long> tokens = new HashSet<>();
    private long clock;
    private long largest; // token of the acquisitions that have ended

    /**
     * @param lease in nanoseconds
     */
    LockModel(String name, long lease, Consumer<String> wrong) {
        this.lease = lease;
        complaints = new Complaints(name, wrong);
    }

    /** One acquisition, from its begin to its release. */
    static final class Acquisition {
        private final long begin;
        private final long largest;
        private long since; // nanoseconds, of the call that began the lease
        private long token; // 0 as long as it is not known
        private boolean refused;
        private boolean leaving;
        private long released = Long.MAX_VALUE;

        private Acquisition(long begin, long largest, long since) {
            this.begin = begin;
            this.largest = largest;
            this.since = since;
        }
    }

    /** Notes that an acquisition begins. */
    Acquisition begins(long now) {
        Acquisition acquisition = new Acquisition(++clock, largest, now);
        acquisitions.add(acquisition);
        return acquisition;
    }

    /** Notes an acquisition that succeeded. */
    void acquired(Acquisition acquisition, long token, long now) {
        clock++;
        complaints.check(token > acquisition.largest, "token " + token + " after token " + acquisition.largest);
        complaints.check(
                token <= acquisitions.size(), "token " + token + " of " + acquisitions.size() + " acquisitions");
        complaints.check(tokens.add(token), "two have token " + token);
        acquisition.token = token;
        largest = Math.max(largest, token);
        for (Acquisition other : acquisitions) {
            boolean holds = other.token != 0 && other.token < token && !other.leaving && now - other.since < lease;
            complaints.check(!holds, "token " + token + " within the lease of token " + other.token);
        }
    }

    /** Notes an acquisition that found the lock held. */
    void isHeldByOther(Acquisition acquisition) {
        clock++;
        acquisition.refused = true;
        complaints.check(
                acquisitions.stream()
                        .anyMatch(
                                other -> other != acquisition && !other.refused && other.released > acquisition.begin),
                "is held, and nobody has acquired it");
    }

    /** Returns the largest token of acquisitions that have ended. */
    long largest() {
        return largest;
    }

    /**
     * Notes that a holder was told that it holds the lock.
     *
     * @param before result of {@link #largest} before the question
     */
    void isHeld(Acquisition acquisition, long before) {
        complaints.check(before <= acquisition.token, "token " + acquisition.token + " holds it after token " + before);
    }

    /**
     * Notes the end of a renewal.
     *
     * @param before result of {@link #largest} before its begin
     * @param since nanoseconds at its begin
     */
    void renewed(Acquisition acquisition, long before, long since, boolean held) {
        changed(acquisition, before, held, "renewed");
        if (held) {
            acquisition.since = since;
        }
    }

    /** Notes that a release begins. */
    void releases(Acquisition acquisition) {
        acquisition.leaving = true;
    }

    /** Notes the end of a release. */
    void released(Acquisition acquisition, long before, boolean held) {
        changed(acquisition, before, held, "released");
        acquisition.released = ++clock;
    }

    private void changed(Acquisition acquisition, long before, boolean held, String what) {
        if (held) {
            complaints.check(
                    before <= acquisition.token,
                    "token " + acquisition.token + " is " + what + " after token " + before);
        } else {
            complaints.check(
                    acquisitions.stream()
                            .anyMatch(other -> other != acquisition
                                    && !other.refused
                                    && (other.token == 0 || other.token > acquisition.token)),
                    "token " + acquisition.token + " is lost to nobody");
        }
    }

    /** Checks the token at the end of the run. */
    void is(long token) {
        complaints.check(token >= largest, "has token " + token + " at the end, less than " + largest);
        complaints.check(
                token <= acquisitions.size(), "has token " + token + " after " + acquisitions.size() + " acquisitions");
    }
}
