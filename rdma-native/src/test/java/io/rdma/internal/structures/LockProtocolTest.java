package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.RecordOptions;
import io.rdma.testing.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random runs of the protocol of locks over a model of memory, devices and processes, which are paused, delayed and
 * killed at every step. There is one holder at a time, each with a larger token, and the lock does not stay locked.
 */
class LockProtocolTest {
    private static final Duration LEASE = Duration.ofMillis(1);

    /** One run. */
    private static final class Run {
        private final Random random;
        private final StructureHeader header = StructureHeader.of(
                StructureHeader.Kind.LOCKS, RecordOptions.of(1, Long.BYTES).withLease(LEASE), 0);
        private final ModelStructure model;
        private final List<HeldLock> leases = new ArrayList<>();
        private int begun;
        private int ended;
        private int cancelled;

        Run(long seed) {
            random = new Random(seed);
            model = new ModelStructure(header, random);
            for (int i = 0; i < 4; i++) {
                model.client();
            }
        }

        private <T> StructureCall.Outcome<T> outcome(Consumer<@Nullable T> then) {
            begun++;
            return new StructureCall.Outcome<>() {
                @Override
                public void succeeded(@Nullable T value) {
                    ended++;
                    then.accept(value);
                }

                @Override
                public void failed(Throwable error) {
                    throw new AssertionError(error);
                }
            };
        }

        private void acquired(@Nullable HeldLock lease) {
            if (lease != null) {
                if (lease.isHeld()) { // else it was delivered late
                    assertThat(leases).noneMatch(HeldLock::isHeld);
                }
                assertThat(leases).allMatch(before -> before.token() != lease.token());
                assertThat(leases).filteredOn(HeldLock::isHeld).allMatch(held -> held.token() > lease.token());
                leases.add(lease);
            }
        }

        void acquire(ModelStructure.Client client, boolean waits) {
            LockClient locks = new LockClient(client, header, client.writer);
            if (waits) {
                StructureCall<HeldLock> call = locks.acquire(0, outcome(this::acquired));
                if (random.nextInt(4) == 0) {
                    client.after(random.nextInt(50_000), () -> {
                        if (!call.isOver()) {
                            call.cancel();
                            cancelled++;
                        }
                    });
                }
            } else {
                locks.tryAcquire(0, outcome(this::acquired));
            }
        }

        private void withAnyLease(Consumer<HeldLock> action) {
            if (!leases.isEmpty()) {
                action.accept(leases.get(leases.size() - 1 - random.nextInt(Math.min(3, leases.size()))));
            }
        }

        void act() {
            ModelStructure.Client client =
                    model.clients().get(random.nextInt(model.clients().size()));
            switch (random.nextInt(20)) {
                case 0, 1, 2 -> acquire(client, true);
                case 3 -> acquire(client, false);
                case 4, 5 -> withAnyLease(lease -> lease.release(outcome(held -> {})));
                case 6, 7 ->
                    withAnyLease(lease -> lease.renew(outcome(held -> {
                        if (Boolean.TRUE.equals(held) && lease.isHeld()) {
                            assertThat(leases).filteredOn(HeldLock::isHeld).containsExactly(lease);
                        }
                    })));
                case 8 -> client.pause(true);
                case 9, 10 -> client.pause(false);
                case 11 -> client.stall(true);
                case 12, 13 -> client.stall(false);
                default -> {} // steps alone
            }
        }

        void steps(int most) {
            for (int i = 0; i < most && model.step(); i++) {
                if (leases.stream().filter(HeldLock::isHeld).count() > 1) {
                    throw new AssertionError("two holders");
                }
            }
        }

        /** Lets all clients go on, and checks that everything ends. */
        void heal() {
            model.clients().forEach(client -> {
                client.pause(false);
                client.stall(false);
            });
            int left = 500_000;
            while (model.step()) {
                assertThat(--left).as("steps").isPositive();
            }
            assertThat(ended + cancelled).isEqualTo(begun);
        }
    }

    @Test
    void disturbedHoldersNeitherShareNorKeepALock() {
        int runs = Stress.times(2000);
        for (long seed = 0; seed < runs; seed++) {
            try {
                Run run = new Run(seed);
                for (int i = 0; i < 60; i++) {
                    run.act();
                    run.steps(run.random.nextInt(40));
                }
                run.heal();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void aLockOfWhichTheHolderIsKilledAtAnyStepIsFreeAfterTheLease() {
        for (int step = 0; step < 60; step++) {
            Run run = new Run(step);
            ModelStructure.Client doomed = run.model.clients().getFirst();
            run.acquire(doomed, true);
            run.steps(step);
            doomed.kill();
            int before = run.leases.size();
            new LockClient(run.model.clients().get(1), run.header, 2).acquire(0, run.outcome(run::acquired));
            while (run.model.step()) {}
            assertThat(run.leases).as("step %s", step).hasSize(before + 1);
        }
    }
}
