package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.loop.LoopCounts;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BacklogTest {
    private static final class Named extends Operation {
        Named(WorkRequestOpcode opcode) {
            super(new WorkRequest(opcode, null, new RemoteMemory(8, 8, 1), null, false));
        }

        @Override
        protected void completed(long value) {}

        @Override
        protected void failed(RuntimeException error) {}
    }

    private static Named message() {
        return new Named(WorkRequestOpcode.SEND);
    }

    private static Named read() {
        return new Named(WorkRequestOpcode.RDMA_READ);
    }

    private static Named write() {
        return new Named(WorkRequestOpcode.RDMA_WRITE);
    }

    /** Returns credits for a number of messages. */
    private static Credits credits(int messages) {
        return new Credits(true, 1, messages, false);
    }

    private static @Nullable Operation next(Backlog backlog, Credits credits, boolean readRoom) {
        Operation operation = backlog.next(readRoom);
        if (operation != null && operation.request().opcode().consumesReceive()) {
            credits.consume();
        }
        return operation;
    }

    @Test
    void eachKindKeepsItsOrderAndPassesThoseThatWait() {
        Credits credits = credits(1);
        Backlog backlog = new Backlog(credits, new LoopCounts());
        Named first = message();
        Named second = message();
        Named third = message();
        Named reading = read();
        Named readingToo = read();
        Named writing = write();
        for (Named operation : new Named[] {first, second, reading, third, readingToo, writing}) {
            backlog.add(operation);
        }
        assertThat(next(backlog, credits, false)).isSameAs(first);
        assertThat(next(backlog, credits, false))
                .as("no credit, no room to read")
                .isSameAs(writing);
        assertThat(next(backlog, credits, false)).isNull();
        assertThat(backlog.isBlocked()).isTrue();
        assertThat(next(backlog, credits, true)).isSameAs(reading);
        assertThat(credits.granted(2, Credits.CONTROL_RECEIVES)).isTrue();
        assertThat(next(backlog, credits, true)).isSameAs(second);
        assertThat(next(backlog, credits, true)).isSameAs(readingToo);
        assertThat(next(backlog, credits, true)).isNull();
        assertThat(backlog.any()).isSameAs(third);
        assertThat(backlog.any()).isNull();
        assertThat(backlog.isBlocked()).isFalse();
    }

    /** A flush tells of the writes before it, so it waits for one that has no credit. */
    @Test
    void whatTellsOfWritesPassesNoWriteWithImmediate() {
        for (WorkRequestOpcode opcode : new WorkRequestOpcode[] {
            WorkRequestOpcode.FLUSH, WorkRequestOpcode.ATOMIC_WRITE, WorkRequestOpcode.RDMA_READ
        }) {
            Credits credits = credits(4);
            for (int i = 0; i < 4; i++) {
                credits.consume();
            }
            Backlog backlog = new Backlog(credits, new LoopCounts());
            Named waiting = message();
            Named written = new Named(WorkRequestOpcode.RDMA_WRITE_WITH_IMM);
            Named early = new Named(opcode);
            Named flush = new Named(opcode);
            Named behind = message();
            Named atomic = new Named(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD);
            Named writing = write();
            for (Named operation : new Named[] {waiting, early, written, flush, behind, atomic, writing}) {
                backlog.add(operation);
            }
            assertThat(next(backlog, credits, true)).isSameAs(early);
            assertThat(next(backlog, credits, true)).isSameAs(atomic);
            assertThat(next(backlog, credits, true)).isSameAs(writing);
            assertThat(next(backlog, credits, true)).isNull();
            assertThat(credits.granted(8, Credits.CONTROL_RECEIVES)).isTrue();
            assertThat(next(backlog, credits, false)).isSameAs(waiting);
            assertThat(next(backlog, credits, false)).isSameAs(written);
            assertThat(next(backlog, credits, false)).as("no room to read").isSameAs(behind);
            assertThat(next(backlog, credits, true)).isSameAs(flush);
            Named later = new Named(opcode);
            backlog.add(later);
            assertThat(next(backlog, credits, true)).isSameAs(later);
            assertThat(next(backlog, credits, true)).isNull();
            assertThat(backlog.any()).isNull();
        }
    }

    /**
     * Races the poster, which finds no credits, against the loop, which grants some and then looks for blocked
     * messages. At least one of the two must see the other.
     */
    @Test
    void aConcurrentGrantIsSeenByThePosterOrTheLoop() throws InterruptedException {
        int rounds = 100_000;
        Phaser phaser = new Phaser(2);
        AtomicReference<Backlog> backlog = new AtomicReference<>();
        AtomicReference<Credits> credits = new AtomicReference<>();
        AtomicInteger seenByLoop = new AtomicInteger();
        AtomicInteger lost = new AtomicInteger();
        Thread loop = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < rounds; round++) {
                phaser.arriveAndAwaitAdvance();
                credits.get().granted(2, Credits.CONTROL_RECEIVES);
                seenByLoop.set(backlog.get().isBlocked() ? 1 : 0);
                phaser.arriveAndAwaitAdvance();
            }
        });
        for (int round = 0; round < rounds; round++) {
            Credits fresh = credits(1);
            fresh.consume();
            Backlog list = new Backlog(fresh, new LoopCounts());
            credits.set(fresh);
            backlog.set(list);
            list.add(message());
            phaser.arriveAndAwaitAdvance();
            Operation found = list.next(true);
            phaser.arriveAndAwaitAdvance();
            if (found == null && seenByLoop.get() == 0) {
                lost.incrementAndGet();
            }
        }
        loop.join();
        assertThat(lost).hasValue(0);
    }
}
