package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.engine.EndpointOptions.Start;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CreditsTest {
    private static final int CONTROL = Credits.CONTROL_RECEIVES;

    @Test
    void impossibleAnnouncementsAreRefused() {
        Credits credits = new Credits(true, 16, 4, false);
        assertThat(credits.granted(4, CONTROL)).as("nothing new").isTrue();
        assertThat(credits.granted(5, CONTROL)).as("more than it has").isFalse();
        assertThat(credits.granted(4, CONTROL + 1)).isFalse();
        for (int i = 0; i < 3; i++) {
            credits.consume();
        }
        assertThat(credits.granted(7, CONTROL)).isTrue();
        assertThat(credits.granted(6, CONTROL)).as("fewer than before").isFalse();
        assertThat(credits.granted(7, CONTROL - 1)).isFalse();
        for (int bad : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertThat(credits.granted(bad, CONTROL)).isFalse();
            assertThat(credits.granted(7, bad)).isFalse();
        }
    }

    @Test
    void withoutCreditsEveryMessageMayBeSent() {
        Credits credits = new Credits(false, 1, 1, false);
        assertThat(credits.receives()).isEqualTo(1);
        credits.consume();
        credits.consume();
        assertThat(credits.mayMessage()).isTrue();
        assertThat(credits.isDue(true)).isFalse();
    }

    /**
     * One peer of the model: its receives, the messages it still has to send, and the messages that arrived and were
     * not read.
     */
    private static final class Peer {
        final Credits credits;
        final ArrayDeque<int[]> wire = new ArrayDeque<>(); // towards this peer: {control, granted, granted control}
        int posted;
        boolean connected;
        boolean awaitsPeer; // its first frame
        int unread;
        int open;
        int toSend;
        int got;
        boolean reads = true;

        Peer(int receives, int peerReceives, int toSend, boolean farewells, Start start) {
            credits = new Credits(true, receives, receives, peerReceives, peerReceives, farewells, start);
            connected = start != Start.THIS_SIDE;
            awaitsPeer = start == Start.PEER;
            posted = connected ? credits.receives() : 0;
            this.toSend = toSend;
        }

        /** Posts the receives of a side that starts. */
        void connect() {
            connected = true;
            posted = credits.receives();
        }

        boolean idle() {
            return unread == 0;
        }
    }

    /**
     * Models two peers with an ordered wire and any order of events. A frame never arrives at a side without a posted
     * receive. When both sides read again, every message arrives, whichever of them had stopped before.
     */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 100", "2, 3", "8, 8", "64, 5", "200, 200"})
    void noFrameWithoutAReceiveAndNoDeadlock(int receives, int peerReceives) {
        noFrameWithoutAReceiveAndNoDeadlock(receives, peerReceives, false, Start.TOGETHER, Start.TOGETHER);
    }

    /** Runs the same model with a side that posts its receives late, and sends first. */
    @ParameterizedTest
    @CsvSource({"1, 1, false", "1, 100, true", "100, 1, true", "2, 3, false", "8, 8, true", "200, 200, true"})
    void aSideThatStartsGetsNoFrameBeforeItsFirst(int receives, int peerReceives, boolean farewells) {
        noFrameWithoutAReceiveAndNoDeadlock(receives, peerReceives, farewells, Start.THIS_SIDE, Start.PEER);
    }

    /**
     * Runs the same model with farewells. Whenever one side ends, the other one has a receive for the farewell that no
     * other frame can take.
     */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 100", "2, 3", "8, 8", "64, 5"})
    void aReceiveForTheFarewellIsAlwaysLeft(int receives, int peerReceives) {
        noFrameWithoutAReceiveAndNoDeadlock(receives, peerReceives, true, Start.TOGETHER, Start.TOGETHER);
    }

    private static void noFrameWithoutAReceiveAndNoDeadlock(
            int receives, int peerReceives, boolean farewells, Start startOfA, Start startOfB) {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            Peer a = new Peer(receives, peerReceives, 500, farewells, startOfA);
            Peer b = new Peer(peerReceives, receives, 500, farewells, startOfB);
            for (int step = 0; step < 20_000; step++) {
                if (step % 500 == 0) {
                    a.reads = random.nextBoolean();
                    b.reads = random.nextBoolean();
                }
                step(random, random.nextBoolean() ? a : b, a, b);
            }
            a.reads = true;
            b.reads = true;
            for (int step = 0; step < 100_000 && (a.got < 500 || b.got < 500); step++) {
                step(random, random.nextBoolean() ? a : b, a, b);
            }
            assertThat(a.got).as("seed " + seed).isEqualTo(500);
            assertThat(b.got).as("seed " + seed).isEqualTo(500);
        }
    }

    private static void step(Random random, Peer one, Peer a, Peer b) {
        Peer other = one == a ? b : a;
        if (!one.connected) {
            if (random.nextInt(20) == 0) {
                one.connect();
            }
            return;
        }
        if (one.credits.farewells() && !one.awaitsPeer) {
            assertThat(other.posted - other.wire.size())
                    .as("receives that nothing under way will take")
                    .isPositive();
        }
        switch (random.nextInt(4)) {
            case 0 -> {
                if (one.toSend > 0 && one.credits.mayMessage()) {
                    one.toSend--;
                    one.credits.consume();
                    other.wire.add(new int[] {0, one.credits.announce(), one.credits.announceControl()});
                } else if (one.credits.isDue(one.idle())) {
                    one.credits.consumeControl();
                    other.wire.add(new int[] {1, one.credits.announce(), one.credits.announceControl()});
                }
            }
            case 1 -> arrive(one);
            case 2 -> {
                if (one.reads && one.unread > 0) {
                    one.unread--;
                    one.open++;
                    one.got++;
                }
            }
            default -> {
                if (one.open > 0) {
                    one.open--;
                    one.posted++;
                    one.credits.reposted(1, 0);
                }
            }
        }
    }

    private static void arrive(Peer peer) {
        int[] frame = peer.wire.poll();
        if (frame == null) {
            return;
        }
        peer.awaitsPeer = false;
        assertThat(--peer.posted).as("receives").isNotNegative();
        assertThat(peer.credits.granted(frame[1], frame[2])).isTrue();
        if (frame[0] == 1) {
            peer.posted++;
            peer.credits.reposted(0, 1);
        } else {
            peer.credits.receive();
            peer.unread++;
        }
    }
}
