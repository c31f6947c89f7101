package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.RecordOptions;
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
    private static final class Run implements SeededRuns.Run {
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

        @Override
        public void close() {
            model.close();
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
        SeededRuns.of(2000, Run::new, run -> {
            for (int i = 0; i < 60; i++) {
                run.act();
                run.steps(run.random.nextInt(40));
            }
            run.heal();
        });
    }

    @Test
    void aLockOfWhichTheHolderIsKilledAtAnyStepIsFreeAfterTheLease() {
        for (int step = 0; step < 60; step++) {
            try (Run run = new Run(step)) {
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

    private static LockClient locks(Run run, int client) {
        ModelStructure.Client of = run.model.clients().get(client);
        return new LockClient(of, run.header, of.writer);
    }

    /** Lets the clock of the model go on. */
    private static void pass(Run run, double leases) {
        long until = run.model.now() + (long) (leases * LEASE.toNanos());
        run.model.clients().getLast().after(until - run.model.now(), () -> {});
        while (run.model.now() < until) {
            run.model.step();
        }
    }

    private static @Nullable HeldLock tried(Run run, LockClient locks) {
        List<@Nullable HeldLock> results = new ArrayList<>();
        locks.tryAcquire(0, run.outcome(results::add));
        while (results.isEmpty()) {
            assertThat(run.model.step()).isTrue();
        }
        return results.getFirst();
    }

    @Test
    void aTryTakesALockThatItsClientHasSeenUnchangedForTheLease() {
        try (Run run = new Run(1)) {
            HeldLock lost = tried(run, locks(run, 0));
            run.model.clients().getFirst().kill();
            LockClient others = locks(run, 1);
            assertThat(tried(run, others)).isNull(); // sees it for the first time
            pass(run, 0.5);
            assertThat(tried(run, others)).isNull();
            assertThat(tried(run, locks(run, 2))).isNull();
            pass(run, 0.7);
            HeldLock next = tried(run, others);
            assertThat(next).isNotNull();
            assertThat(next.token()).isEqualTo(2);
            assertThat(lost.isHeld()).isFalse();
            assertThat(tried(run, locks(run, 2))).isNull(); // another one, whose lease is new
        }
    }

    @Test
    void aTryDoesNotTakeALockThatIsRenewedOrAcquiredAnew() {
        try (Run run = new Run(1)) {
            LockClient holders = locks(run, 0);
            HeldLock held = tried(run, holders);
            LockClient others = locks(run, 1);
            for (int i = 0; i < 20; i++) {
                assertThat(tried(run, others)).isNull();
                pass(run, 0.6);
                if (i % 5 == 4) {
                    held.release(run.outcome(released -> assertThat(released).isTrue()));
                    held = tried(run, holders);
                } else {
                    held.renew(run.outcome(renewed -> assertThat(renewed).isTrue()));
                }
                pass(run, 0.1);
                assertThat(held.isHeld()).isTrue();
            }
        }
    }

    @Test
    void aSightingThatLiesTooFarBackDoesNotCount() {
        LockSightings sightings = new LockSightings(LEASE);
        LockWord held = new LockWord(0).acquiredBy(1);
        long lease = LEASE.toNanos();
        assertThat(sightings.isFree(0, held, 0)).isFalse();
        assertThat(sightings.isFree(1, held, lease)).isFalse();
        assertThat(sightings.isFree(0, held, lease + lease / 8)).isFalse();
        assertThat(sightings.isFree(0, held, lease + lease / 8 + 1)).isTrue();
        assertThat(sightings.isFree(1, held, 1025 * lease)).isFalse(); // the holder may have renewed 65,536 times
        assertThat(sightings.isFree(1, held, 1027 * lease)).isTrue();
        assertThat(sightings.isFree(1, held.renewed(), 1027 * lease)).isFalse();
        assertThat(sightings.isFree(1, held.released(), 1028 * lease)).isTrue();
        assertThat(sightings.isFree(1, held.renewed(), 1030 * lease)).isFalse();
    }
}
