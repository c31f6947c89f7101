package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random runs of the protocol of rings over a model of memory, device and processes: bytes arrive in any order, the
 * producer is paused and delayed, sends are cancelled, the consumer takes entries now and then.
 */
class RingProtocolTest {
    /** One run. */
    private static final class Run implements SeededRuns.Run {
        private final Random random;
        private final RingLayout layout;
        private final ModelStructure model;
        private final ModelStructure.Client client;
        private final RingClient ring;
        private final List<Integer> received = new ArrayList<>();
        private final List<Throwable> failures = new ArrayList<>();
        private final Set<Integer> cancelled = new HashSet<>();
        private final Set<Integer> ended = new HashSet<>();
        private final RingConsumer consumer;
        private int sent;

        Run(long seed, int capacity) {
            random = new Random(seed);
            StructureHeader header = StructureHeader.of(StructureHeader.Kind.RING, RecordOptions.of(capacity, 1), 0);
            model = new ModelStructure(header, random);
            layout = header.ring();
            consumer = new RingConsumer(model.memory, layout);
            client = model.client();
            ring = new RingClient(client, header);
        }

        @Override
        public void close() {
            model.close();
        }

        void send() {
            int number = sent++;
            byte[] entry = new byte[Integer.BYTES + random.nextInt(layout.maxEntry() - Integer.BYTES + 1)];
            ByteBuffer.wrap(entry).putInt(number);
            StructureCall<Boolean> call = ring.send(entry, new StructureCall.Outcome<>() {
                @Override
                public void succeeded(@Nullable Boolean value) {
                    ended.add(number);
                }

                @Override
                public void failed(Throwable error) {
                    failures.add(error);
                }
            });
            if (random.nextInt(4) == 0) {
                client.after(random.nextInt(200_000), () -> {
                    if (!ended.contains(number)) {
                        call.cancel();
                        cancelled.add(number);
                    }
                });
            }
        }

        /** Takes all entries that are there. */
        void take() {
            byte[] entry;
            while ((entry = consumer.peek()) != null) {
                received.add(ByteBuffer.wrap(entry).getInt());
                consumer.take(entry);
            }
        }

        void steps(int most) {
            for (int i = 0; i < most && model.step(); i++) {}
        }

        void act() {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3, 4 -> send();
                case 5, 6 -> take();
                case 7 -> client.pause(true);
                case 8 -> client.pause(false);
                case 9 -> client.stall(true);
                default -> client.stall(false);
            }
        }

        void heal() {
            client.pause(false);
            client.stall(false);
            for (int i = 0; i < 10_000 && ended.size() + cancelled.size() < sent; i++) {
                steps(100);
                take();
            }
            steps(10_000);
            take();
            assertThat(failures).isEmpty();
            assertThat(received).isSorted().doesNotHaveDuplicates();
            for (int number = 0; number < sent; number++) {
                if (!cancelled.contains(number)) {
                    assertThat(received).contains(number);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 80, 256, 1024})
    void entriesArriveOnceAndInOrder(int capacity) {
        SeededRuns.of(300, seed -> new Run(seed, capacity), run -> {
            for (int i = 0; i < 80; i++) {
                run.act();
                run.steps(run.random.nextInt(40));
            }
            run.heal();
        });
    }

    /** Would take minutes if each send looked through all that wait. */
    @Test
    @Timeout(60)
    void manySendsWaitAndAreCancelled() {
        try (Run run = new Run(3, 64)) {
            int count = 400_000;
            List<StructureCall<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                calls.add(run.ring.send(new byte[16], StructureCall.ignored()));
            }
            for (int i = count - 1; i > 2; i--) { // two are written, the third one stays first
                calls.get(i).cancel();
            }
            assertThat(run.ring.waiting()).isOne();
            calls.get(2).cancel();
            assertThat(run.ring.waiting()).isZero();
            run.steps(1_000); // the look ends
            run.take();
            run.received.clear();
            run.send();
            run.heal();
        }
    }

    @Test
    void aPositionThatCannotBeBreaksTheRing() {
        try (Run run = new Run(1, 64)) {
            for (int i = 0; i < 8; i++) {
                run.send();
            }
            run.steps(100);
            run.layout.taken(run.model.memory, 1 << 20);
            run.steps(10_000);
            assertThat(run.failures)
                    .isNotEmpty()
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOfSatisfying(
                                    StructureException.class,
                                    e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT)));
            int failed = run.failures.size();
            run.send();
            run.steps(100);
            assertThat(run.failures).hasSizeGreaterThan(failed);
        }
    }

    @Test
    void aPositionOfTwoMomentsIsReadAgain() {
        try (Run run = new Run(2, 64)) {
            for (int i = 0; i < 4; i++) {
                run.send();
            }
            run.steps(200);
            long word = run.layout.consumer();
            run.model.memory.set(ValueLayout.JAVA_LONG_UNALIGNED, word, 1L << 40); // half of a new position
            run.steps(2_000);
            assertThat(run.failures).isEmpty();
            run.take();
            run.heal();
        }
    }
}
