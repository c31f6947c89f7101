package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.VersionedValue;
import io.rdma.testing.Stress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random runs of the protocol of records over a model of memory, devices and processes. Writers are paused, their
 * packets are delayed, and they are killed, at every step of a put. No value may be lost, torn or seen twice, and no
 * record may stay blocked.
 */
class RecordProtocolTest {
    private static final Duration LEASE = Duration.ofMillis(1);
    private static final int MOST_STEPS = 200_000;

    /** One run. */
    private static final class Run {
        private final Random random;
        private final StructureHeader header;
        private final ModelStructure model;
        private final RecordHistory history = new RecordHistory();
        private final List<Call> calls = new ArrayList<>();
        private int values;

        /** One call of a client, and whether it has ended. */
        private final class Call {
            private final ModelStructure.Client client;
            private boolean cancelled;
            private boolean ended;

            Call(ModelStructure.Client client) {
                this.client = client;
                calls.add(this);
            }

            private <T> StructureCall.Outcome<T> outcome(
                    Consumer<@Nullable T> succeeded, Consumer<StructureException> failed) {
                return new StructureCall.Outcome<>() {
                    @Override
                    public void succeeded(@Nullable T value) {
                        end();
                        succeeded.accept(value);
                    }

                    @Override
                    public void failed(Throwable error) {
                        end();
                        if (!(error instanceof StructureException refusal)) {
                            throw new AssertionError(error);
                        }
                        failed.accept(refusal);
                    }

                    private void end() {
                        assertThat(ended).isFalse();
                        assertThat(cancelled).isFalse();
                        ended = true;
                    }
                };
            }
        }

        Run(long seed, int capacity) {
            random = new Random(seed);
            header = StructureHeader.of(
                    StructureHeader.Kind.RECORDS, RecordOptions.of(1, capacity).withLease(LEASE), 0);
            model = new ModelStructure(header, random);
            for (int i = 0; i < 4; i++) {
                model.client();
            }
        }

        private RecordClient records(ModelStructure.Client client) {
            return new RecordClient(client, header, client.writer);
        }

        private String nextValue() {
            return "value-" + values++ + "-".repeat(random.nextInt(1 + header.capacity() - 12));
        }

        void get(ModelStructure.Client client) {
            long atStart = history.newest();
            Call call = new Call(client);
            records(client).get(0, call.<VersionedValue>outcome(found -> history.got(found, atStart), this::refused));
        }

        void put(ModelStructure.Client client, boolean cancelSoon) {
            long atStart = history.newest();
            Call call = new Call(client);
            String value = nextValue();
            StructureCall<Long> started = records(client)
                    .put(
                            0,
                            value.getBytes(StandardCharsets.UTF_8),
                            call.<Long>outcome(version -> history.put(value, version, atStart), this::refused));
            if (cancelSoon) {
                client.after(random.nextInt(100_000), () -> {
                    if (!call.ended) {
                        started.cancel();
                        call.cancelled = true;
                    }
                });
            }
        }

        void conditionalPut(ModelStructure.Client client) {
            long expected = Math.max(0, history.newest() - random.nextInt(2));
            long atStart = history.newest();
            Call call = new Call(client);
            String value = nextValue();
            records(client)
                    .put(
                            0,
                            value.getBytes(StandardCharsets.UTF_8),
                            expected,
                            call.<Long>outcome(
                                    version -> {
                                        assertThat(version).isEqualTo(expected + 1);
                                        history.put(value, version, atStart);
                                    },
                                    refusal -> {
                                        if (refusal.reason() == Reason.CONFLICT) {
                                            assertThat(refusal.version()).isNotEqualTo(expected);
                                            history.refused(value);
                                        } else {
                                            refused(refusal);
                                        }
                                    }));
        }

        /** A put may give up while silent writers hold the images. Nothing else may be refused. */
        private void refused(StructureException refusal) {
            assertThat(refusal).extracting(StructureException::reason).isEqualTo(Reason.BUSY);
        }

        /** Begins a call, or disturbs a client. */
        void act() {
            ModelStructure.Client client =
                    model.clients().get(random.nextInt(model.clients().size()));
            switch (random.nextInt(24)) {
                case 0, 1, 2, 3 -> unlessKilled(client, () -> get(client));
                case 4, 5, 6, 7 -> unlessKilled(client, () -> put(client, false));
                case 8 -> unlessKilled(client, () -> put(client, true));
                case 9, 10 -> unlessKilled(client, () -> conditionalPut(client));
                case 11, 12 -> client.pause(true);
                case 13, 14, 15 -> client.pause(false);
                case 16 -> client.stall(true);
                case 17, 18 -> client.stall(false);
                case 19 -> {
                    if (model.clients().size() < 12) {
                        client.kill();
                        model.client();
                    }
                }
                case 20, 21 -> client.disconnect();
                default -> {} // steps alone
            }
        }

        private static void unlessKilled(ModelStructure.Client client, Runnable action) {
            if (!client.isKilled()) {
                action.run();
            }
        }

        void steps(int most) {
            for (int i = 0; i < most && model.step(); i++) {}
        }

        /** Lets all clients go on, and checks that everything ends and that a new client is not blocked. */
        void heal() {
            model.clients().forEach(client -> {
                client.pause(false);
                client.stall(false);
                client.disconnect();
            });
            int left = MOST_STEPS;
            while (model.step()) {
                assertThat(--left).as("steps").isPositive();
            }
            assertThat(calls).allMatch(call -> call.ended || call.cancelled || call.client.isKilled());
            ModelStructure.Client last = model.client();
            List<Object> results = new ArrayList<>();
            String value = nextValue();
            Call call = new Call(last);
            records(last)
                    .put(0, value.getBytes(StandardCharsets.UTF_8), call.<Long>outcome(results::add, results::add));
            while (model.step()) {}
            assertThat(results).hasExactlyElementsOfTypes(Long.class);
            history.put(value, (long) results.getFirst(), history.newest());
            get(last);
            while (model.step()) {}
            assertThat(calls.getLast().ended).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16, 40, 100})
    void disturbedWritersNeitherLoseNorTearNorBlock(int capacity) {
        int runs = Stress.times(1500);
        for (long seed = 0; seed < runs; seed++) {
            try {
                Run run = new Run(seed, capacity);
                int actions = 20 + run.random.nextInt(60);
                for (int i = 0; i < actions; i++) {
                    run.act();
                    run.steps(run.random.nextInt(60));
                    if (run.random.nextInt(10) == 0) {
                        run.steps(2 * (int) (LEASE.toNanos() / 1000)); // more than a lease
                    }
                }
                run.heal();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void aWriterThatIsKilledAtAnyStepBlocksNobody() {
        boolean longer = true;
        for (int step = 0; longer; step++) {
            Run run = new Run(step, 100);
            ModelStructure.Client doomed = run.model.clients().getFirst();
            run.put(doomed, false);
            run.steps(step);
            longer = !run.calls.getFirst().ended;
            doomed.kill();
            ModelStructure.Client other = run.model.clients().get(1);
            run.put(other, false); // before the host has noticed: by the lease
            while (run.model.step()) {}
            assertThat(run.calls.getLast().ended).as("step %s", step).isTrue();
            run.heal();
        }
    }

    @Test
    void aWriterThatComesBackLateFromAnyStepDestroysNothing() {
        boolean longer = true;
        for (int step = 0; longer; step++) {
            Run run = new Run(step, 100);
            ModelStructure.Client late = run.model.clients().getFirst();
            run.put(late, false);
            run.steps(step);
            longer = !run.calls.getFirst().ended;
            late.pause(true);
            late.stall(true);
            ModelStructure.Client other = run.model.clients().get(1);
            for (int i = 0; i < 5; i++) { // each image would be used again
                run.put(other, false);
                run.steps(5000);
                run.get(other);
                run.steps(5000);
                assertThat(run.calls.getLast().ended).as("step %s", step).isTrue();
            }
            late.pause(false);
            late.stall(false);
            run.get(other);
            run.heal();
            assertThat(run.history.newest()).isGreaterThanOrEqualTo(6);
        }
    }

    @Test
    void twoSilentWritersAreReportedAndTheEndOfOneUnblocks() {
        Run run = new Run(1, 100);
        List<ModelStructure.Client> silent = run.model.clients().subList(0, 2);
        for (ModelStructure.Client client : silent) {
            run.put(client, false);
            RecordWord word;
            do {
                run.model.step();
                word = RecordLayout.word(
                        run.model.memory.asSlice(run.header.records().offset(0)));
            } while (word.claimant() != client.writer);
            client.pause(true);
            client.stall(true);
        }
        ModelStructure.Client third = run.model.clients().get(2);
        List<Object> results = new ArrayList<>();
        Run.Call call = run.new Call(third);
        RecordClient records = run.records(third);
        records.put(0, new byte[1], call.<Long>outcome(results::add, results::add));
        run.steps(50_000);
        assertThat(results).singleElement().isInstanceOfSatisfying(StructureException.class, refusal -> {
            assertThat(refusal.reason()).isEqualTo(Reason.BUSY);
            assertThat(refusal).hasMessageContaining("close their connections");
        });
        run.get(third); // readers are not blocked
        run.steps(1000);
        assertThat(run.calls.getLast().ended).isTrue();
        silent.getFirst().kill();
        silent.getFirst().disconnect();
        run.put(third, false);
        run.steps(50_000);
        assertThat(run.calls.getLast().ended).isTrue();
        run.heal();
    }
}
