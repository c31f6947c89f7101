package io.rdma.internal.os;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.FullStack;
import org.junit.jupiter.api.RepeatedTest;

/** Where the test for room passes, a change that needs less than the tested room is never interrupted. */
class StackRoomTest {
    private static final int TIMES = 2_000;
    private static final int FRAMES = 60; // for each piece, of well below 200 bytes each, in the interpreter too

    private static final int FOR_POST = 0;

    private int pieces;
    private int begun;
    private int done;

    @RepeatedTest(5) // the first in the interpreter, the last in compiled code
    void aChangeIsNotInterrupted() throws InterruptedException {
        for (int needed :
                new int[] {FOR_POST, StackRoom.RELEASE, StackRoom.SUBMIT, StackRoom.SIGNAL, StackRoom.CLOSE}) {
            pieces = needed;
            FullStack.atEachDepth(TIMES, this::change);
        }
        assertThat(done).isEqualTo(begun).isPositive();
    }

    private void change() {
        if (pieces == FOR_POST) {
            StackRoom.requireForPost();
        } else {
            StackRoom.require(pieces);
        }
        begun++;
        descend(Math.max(1, pieces) * FRAMES);
        done++;
    }

    private static int descend(int frames) {
        return frames == 0 ? 0 : 1 + descend(frames - 1);
    }
}
