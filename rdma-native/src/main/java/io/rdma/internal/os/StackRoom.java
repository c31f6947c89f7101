package io.rdma.internal.os;

// How it works: StackPieces has a method for each number of pieces, which is compiled by itself and tests for exactly
// these, in the interpreter and in both compilers.
//
// A test writes to each page of 4 KiB. These pages have the same place in the first cache of a processor, so the twelve
// of three pieces take 60 to 90 ns where they are written for each operation, and the four of one piece 4 to 10 ns
// (docs/internals/performance-analysis.md). So what is done for each message tests for one piece. On the way of an
// operation into the chain of its loop, where nothing else tests, that test is inlined.

/**
 * Test of the room on the caller's stack. A StackOverflowError in the middle of a change would leave the change half
 * done: a queue that no thread serves any more, a buffer that no one gives back. So the methods that applications call,
 * perhaps deep in a recursion, test for room before they change anything. The error that an application gets then says
 * that nothing happened.
 *
 * <p>A method that calls others which test needs more than they do, so that their tests succeed in the middle of its
 * change, or it undoes the change. StackRoomTest shows how much is enough.
 */
public final class StackRoom {
    /** Pieces for a method that gives memory back. */
    public static final int RELEASE = 1;

    /** Pieces for a method that may post for other threads, and give memory back meanwhile. */
    public static final int SUBMIT = 2;

    /** Pieces for a signal of a front-end, and for what may start a thread: the JDK's scheduler needs some room. */
    public static final int SIGNAL = 3;

    /** Pieces for a method that closes something which has many parts, or that runs other callers' code. */
    public static final int CLOSE = 5;

    private StackRoom() {}

    /**
     * Tests whether the caller's stack has room.
     *
     * @param pieces of 16 KiB, one of the constants here
     * @throws StackOverflowError if there is less
     */
    public static void require(int pieces) {
        switch (pieces) {
            case RELEASE -> StackPieces.one();
            case SUBMIT -> StackPieces.two();
            case SIGNAL -> StackPieces.three();
            case CLOSE -> StackPieces.five();
            default -> throw new IllegalArgumentException("no method tests for " + pieces + " pieces");
        }
    }

    /**
     * Tests for one piece, at the entry of the caller's compiled method. For a method that adds an operation to the
     * chain of its loop, and has changed nothing before it is called.
     *
     * @throws StackOverflowError if there is less
     */
    public static void requireForPost() {
        StackPieces.inlinedOne();
    }

    /**
     * Returns whether the caller's stack has room.
     *
     * @param pieces of 16 KiB, one of the constants here
     */
    public static boolean has(int pieces) {
        try {
            require(pieces);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }
}
