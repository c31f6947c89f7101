package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Pauses between the attempts of a call, and its end. */
class StructureCallTest {
    private static final RuntimeException FAILURE = new IllegalStateException("the memory is closed");

    /** Access that has nothing but timers, which the test runs. */
    private static final class Timers implements StructureAccess {
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final List<Long> pauses = new ArrayList<>();

        @Override
        public void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed) {
            throw new AssertionError("no memory");
        }

        @Override
        public void compareAndSwap(
                long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed) {
            throw new AssertionError("no memory");
        }

        @Override
        public void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed) {
            throw new AssertionError("no memory");
        }

        @Override
        public void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed) {
            throw new AssertionError("no memory");
        }

        @Override
        public void end(Throwable cause) {
            throw new AssertionError("no connection");
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void after(long nanos, Runnable task) {
            pauses.add(nanos);
            tasks.add(task);
        }

        @Override
        public long random(long bound) {
            return bound - 1;
        }
    }

    /** The receiver of a ring waits as long as the producer sends nothing. Its count must not overflow after weeks. */
    @Test
    void pausesGrowToABoundAndAreCountedNoFurther() {
        Timers timers = new Timers();
        StructureCall<Boolean> waiting = new StructureCall<>(timers, StructureCall.ignored()) {
            @Override
            void attempt() {
                pause();
            }
        };
        waiting.start();
        for (int i = 0; i < 100; i++) {
            timers.tasks.remove().run();
        }
        assertThat(timers.pauses).startsWith(39_999L, 79_999L, 159_999L).endsWith(2_559_999L);
        assertThat(waiting.attempts).isEqualTo(StructureCall.MOST_ATTEMPTS);
    }

    /** Counts what it is told. */
    private static final class Told implements StructureCall.Outcome<Object> {
        private final List<Object> ends = new ArrayList<>();

        @Override
        public void succeeded(@Nullable Object value) {
            ends.add("succeeded");
        }

        @Override
        public void failed(Throwable error) {
            ends.add(error);
        }
    }

    /** Returns what the listener of a call is told, whose only step begins with the given one and then throws. */
    private static List<Object> endsOfStepThatThrows(Consumer<StructureCall<?>> before) {
        Told told = new Told();
        new StructureCall<Boolean>(new Timers(), told) {
            @Override
            void attempt() {
                before.accept(this);
                throw FAILURE;
            }
        }.start();
        return told.ends;
    }

    /** The memory of a structure may be closed while a step reads it. */
    @Test
    void aStepThatThrowsFailsTheCall() {
        assertThat(endsOfStepThatThrows(call -> {})).containsExactly(FAILURE);
    }

    @Test
    void aStepThatThrowsBetweenTheEndAndTheResultFailsTheCall() {
        assertThat(endsOfStepThatThrows(call -> assertThat(call.tryEnd()).isTrue()))
                .containsExactly(FAILURE);
    }

    /** The thread of the step would report it, though nothing is wrong. */
    @Test
    void aStepOfACancelledCallMayThrow() {
        assertThat(endsOfStepThatThrows(StructureCall::cancel)).isEmpty();
    }

    @Test
    void anExceptionOfTheListenerIsLeftToItsThread() {
        StructureCall.Outcome<Object> throwing = new StructureCall.Outcome<>() {
            @Override
            public void succeeded(@Nullable Object value) {
                throw FAILURE;
            }

            @Override
            public void failed(Throwable error) {
                throw new AssertionError("told twice", error);
            }
        };
        StructureCall<Boolean> call = new StructureCall<>(new Timers(), throwing) {
            @Override
            void attempt() {
                succeed(true);
            }
        };
        assertThatThrownBy(call::start).isSameAs(FAILURE);
    }
}
