package io.rdma.internal.structures;

// Invariant: the token grows with each acquisition, and the renewals with each renewal. So no word comes back while a
// client waits for its change, unless the holder renews 65,536 times between two looks.

/**
 * The word of a lock.
 *
 * @param bits from the lowest: holder (10), renewals (16), token (38)
 */
record LockWord(long bits) {
    private static final int HOLDER = (1 << 10) - 1;
    private static final int RENEWALS = 10;
    private static final long RENEWAL_MASK = (1L << 16) - 1;
    private static final int TOKEN = 26;

    /** Returns the number of acquisitions so far. */
    long token() {
        return bits >>> TOKEN;
    }

    /** Returns the number of the writer that holds the lock; 0 if it is free. */
    int holder() {
        return (int) bits & HOLDER;
    }

    LockWord acquiredBy(int writer) {
        return new LockWord(token() + 1 << TOKEN | writer);
    }

    LockWord renewed() {
        long renewals = (bits >>> RENEWALS) + 1 & RENEWAL_MASK;
        return new LockWord(token() << TOKEN | renewals << RENEWALS | holder());
    }

    LockWord released() {
        return new LockWord(bits & ~(long) HOLDER);
    }

    /** Returns whether both are of the same acquisition, and it is not released. */
    boolean isHeldAs(LockWord other) {
        return holder() == other.holder() && token() == other.token();
    }
}
