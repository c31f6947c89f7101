package io.rdma.internal.os;

// How it works: StackPieces has methods with large frames. A JVM throws StackOverflowError at the entry of a method for
// whose frame there is no room.
//
// Where HotSpot inlines such a method, it makes the test at the entry of the compiled method, whether or not that comes
// to the test. A caller that had changed something would be interrupted by the test of a method below it, or `has`
// would throw. So the methods for each number of pieces are larger than HotSpot inlines: 325 bytes of bytecode, which
// the table of a switch takes. They are compiled apart, and test for exactly as much as they say.
//
// A test writes to each page of 4 KiB. These pages have the same place in the first cache of a processor, so sixteen
// of them cost about 20 ns where they are written for each operation, and four about 2 ns. So the way of an operation
// into the chain of its loop, on which nothing else tests, has a test for one piece that is inlined.

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
            case RELEASE -> release();
            case SUBMIT -> submit();
            case SIGNAL -> signal();
            case CLOSE -> close();
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
        StackPieces.one();
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

    private static void release() {
        switch (StackPieces.nothing) {
            case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
                 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77,
                 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90 -> throw new IllegalStateException();
            default -> StackPieces.one();
        }
    }

    private static void submit() {
        switch (StackPieces.nothing) {
            case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
                 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77,
                 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90 -> throw new IllegalStateException();
            default -> StackPieces.two();
        }
    }

    private static void signal() {
        switch (StackPieces.nothing) {
            case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
                 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77,
                 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90 -> throw new IllegalStateException();
            default -> StackPieces.three();
        }
    }

    private static void close() {
        switch (StackPieces.nothing) {
            case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
                 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77,
                 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90 -> throw new IllegalStateException();
            default -> StackPieces.five();
        }
    }
}
