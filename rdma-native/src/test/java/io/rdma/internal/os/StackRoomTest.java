package io.rdma.internal.os;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.FullStack;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Where the test for room passes, a change that needs less than the tested room is never interrupted. Repeated: the
 * interpreter runs the first, with compiled methods below it, and the last is compiled.
 */
class StackRoomTest {
    private static final int TIMES = 2_000;
    private static final int TIMES_OF_TWO = 500; // over less than a test for five pieces needs and one for one has
    private static final int CALLS = 5_000; // in which a compiler takes the methods below, and the caller only later
    private static final int FRAMES = 60; // for each piece, of well below 200 bytes each, in the interpreter too

    private static final int FOR_POST = 0;

    private int pieces;
    private int begun;
    private int done;
    private int had;

    @RepeatedTest(5)
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

    @RepeatedTest(3)
    void aChangeMayAskForMore() throws InterruptedException {
        isNotInterruptedBy(this::ask, StackRoom.RELEASE);
        assertThat(had - CALLS).isLessThan(TIMES_OF_TWO); // else it did not ask for more than there was
    }

    private void ask() {
        if (StackRoom.has(StackRoom.CLOSE)) {
            had++;
        }
    }

    @RepeatedTest(3)
    void aChangeMayRequireLess() throws InterruptedException {
        isNotInterruptedBy(StackRoomTest::release, StackRoom.SUBMIT);
    }

    private static void release() {
        StackRoom.require(StackRoom.RELEASE);
        descend(FRAMES / 2);
    }

    private void isNotInterruptedBy(Runnable step, int room) throws InterruptedException {
        for (int i = 0; i < CALLS; i++) {
            step.run();
        }
        FullStack.atEachDepth(TIMES_OF_TWO, () -> {
            StackRoom.require(room);
            begun++;
            step.run();
            done++;
        });
        assertThat(done).isEqualTo(begun).isPositive();
    }
}
