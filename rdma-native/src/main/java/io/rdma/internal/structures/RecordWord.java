package io.rdma.internal.structures;

// Invariants
// - A record has three images. The current one is what readers get. If a claim is there, the target image belongs to
// the claimant. If a suspect is there, the remaining image may still be overwritten by it.
// - A writer that may still write an image is named: as claimant if it is the target, as suspect if it is the third
// one. Its number goes to no other client meanwhile, and a client clears its own number only behind its write.
//
// Why a word may come back
// The attempt is counted modulo 16, so a word comes back after 16 takeovers without a put. That harms nobody, because
// it means the same again:
// - A publication that is late finds its own claim, or fails. A writer that was taken over is the suspect until its
// write has ended, and the image of a suspect is the target of no claim. So no word looks like its claim before.
// - A claim of a free record replaces a word that says all: the version, and which image nobody may write.
// - A takeover for the lease leaves the claimant its image, so it needs no lease to be safe.
// - A takeover from a writer that is gone relies on more than the word: it was seen to be gone before. Here the bound
// holds: while one client sleeps between that look and its compare-and-swap, not 16 writers die or stop in a put of the
// same record without any put that succeeds, the last of which has got the number of the first one. Numbers are given
// out in turn.

/**
 * The word of a record: eight bytes that clients change by compare-and-swap only.
 *
 * @param bits from the lowest: claimant (10), suspect (10), whether the target is the image before the current one (1),
 *     current image (2), attempt (4), version (37)
 */
record RecordWord(long bits) {
    static final int IMAGES = 3;

    /** The largest version. The next one is 1. */
    static final long MAX_VERSION = (1L << 37) - 1;

    /** Number of attempts after which the count begins again. */
    static final int ATTEMPTS = 1 << 4;

    private static final int NUMBER = (1 << 10) - 1;
    private static final int SUSPECT = 10;
    private static final int BEFORE = 20;
    private static final int CURRENT = 21;
    private static final int ATTEMPT = 23;
    private static final int VERSION = 27;

    /** Returns the number of puts so far; 0 if there is no value. */
    long version() {
        return bits >>> VERSION;
    }

    /** Returns the number of claims since the last put that were taken over or given back, modulo 16. */
    int attempt() {
        return (int) (bits >>> ATTEMPT) & ATTEMPTS - 1;
    }

    /** Returns the index of the image that readers get; 3 is in no word that clients make. */
    int current() {
        return (int) (bits >>> CURRENT) & IMAGES;
    }

    private boolean targetsBefore() {
        return (bits >>> BEFORE & 1) != 0;
    }

    /** Returns the number of the writer that has claimed the record; 0 if it is free. */
    int claimant() {
        return (int) bits & NUMBER;
    }

    /** Returns the number of the writer that was taken over and may still write; 0 if there is none. */
    int suspect() {
        return (int) (bits >>> SUSPECT) & NUMBER;
    }

    boolean isFree() {
        return claimant() == 0;
    }

    /** Returns the image that the claimant, or the next one, writes. */
    int target() {
        return targetsBefore() ? before(current()) : after(current());
    }

    private static int after(int image) {
        return (image + 1) % IMAGES;
    }

    private static int before(int image) {
        return (image + 2) % IMAGES;
    }

    /** Returns the version that the next put has. */
    long nextVersion() {
        return version() == MAX_VERSION ? 1 : version() + 1;
    }

    /** Returns the free word with a claim. */
    RecordWord claimedBy(int writer) {
        return new RecordWord(bits | writer);
    }

    /** Returns the word in which a claimant, which can write no more, is replaced. The target stays. */
    RecordWord inheritedBy(int writer) {
        return of(version(), attempt() + 1, current(), targetsBefore(), suspect(), writer);
    }

    /**
     * Returns the word in which a claimant, which may still write, becomes the suspect, and another takes its place.
     */
    RecordWord takenOverBy(int writer) {
        return of(version(), attempt() + 1, current(), !targetsBefore(), claimant(), writer);
    }

    /** Returns the word in which a claimant that has written the target, or never will, gives up. The target stays. */
    RecordWord givenBack() {
        return of(version(), attempt() + 1, current(), targetsBefore(), suspect(), 0);
    }

    /** Returns the word in which the target is current and the record is free. */
    RecordWord published() {
        int next = target();
        int suspected = IMAGES - current() - next; // 0 + 1 + 2
        boolean before = suspect() != 0 && suspected == after(next);
        return of(nextVersion(), 0, next, before, suspect(), 0);
    }

    /** Returns the word without suspect. */
    RecordWord cleared() {
        return new RecordWord(bits & ~((long) NUMBER << SUSPECT));
    }

    /** Returns whether nothing has happened since, but that a suspect may have left. */
    boolean isSameAs(RecordWord other) {
        return cleared().equals(other.cleared());
    }

    private static RecordWord of(long version, int attempt, int current, boolean before, int suspect, int claimant) {
        return new RecordWord(version << VERSION
                | (long) (attempt % ATTEMPTS) << ATTEMPT
                | (long) current << CURRENT
                | (before ? 1L << BEFORE : 0)
                | (long) suspect << SUSPECT
                | claimant);
    }
}
