package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random runs of the protocol of records over a model of memory, devices and processes. Writers are paused, their
 * packets are delayed, and they are killed, at every step of a put. No value may be lost, torn or seen twice, and no
 * record may stay blocked.
 */
class RecordProtocolTest {
    /** Versions behind which the carry of a put crosses the bytes of the word, and the first one. */
    private static final long[] BEGINNINGS = {0, 0, 0, 30, 62, 8190, RecordWord.MAX_VERSION - 1000};

    private static long beginning(long seed) {
        return BEGINNINGS[(int) (seed % BEGINNINGS.length)];
    }

    private static RecordRun run(long seed, int capacity) {
        return new RecordRun(seed, capacity);
    }

    @ParameterizedTest(name = "capacity {0}, table: {1}")
    @CsvSource({"12, false", "16, false", "40, false", "100, false", "12, true", "40, true"})
    void disturbedWritersNeitherLoseNorTearNorBlock(int capacity, boolean isTable) {
        SeededRuns.of(1000, seed -> new RecordRun(seed, capacity, isTable, beginning(seed)), run -> {
            int actions = 20 + run.random.nextInt(60);
            for (int i = 0; i < actions; i++) {
                run.act();
                run.steps(run.random.nextInt(60));
                if (run.random.nextInt(10) == 0) {
                    run.steps(2 * (int) (RecordRun.LEASE.toNanos() / 1000)); // more than a lease
                }
            }
            run.heal();
        });
    }

    /** A READ during a put whose carry crosses a byte, at every step: its word may be one that never was. */
    @ParameterizedTest(name = "version {0}, table: {1}")
    @CsvSource({"31, false", "31, true", "63, false", "8191, false", "8191, true", "255, false"})
    void aWordThatIsReadInPartsIsNotBelieved(long version, boolean isTable) {
        SeededRuns.of(3000, seed -> new RecordRun(seed, 12, isTable, version), run -> {
            List<ModelStructure.Client> clients = run.model.clients();
            run.put(clients.get(0), false);
            run.steps(run.random.nextInt(60));
            run.get(clients.get(1));
            run.conditionalPut(clients.get(2));
            run.steps(run.random.nextInt(30));
            run.get(clients.get(3));
            run.heal();
        });
    }

    @Test
    void aWriterThatIsKilledAtAnyStepBlocksNobody() {
        boolean longer = true;
        for (int step = 0; longer; step++) {
            try (RecordRun run = run(step, 100)) {
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
    }

    /** More than the attempts that the word counts. */
    @ParameterizedTest(name = "the host notices: {0}")
    @ValueSource(booleans = {false, true})
    void anyNumberOfWritersThatDieInARowBlocksNobody(boolean isNoticed) {
        try (RecordRun run = run(1, 100)) {
            run.put(run.model.clients().getFirst(), false);
            while (run.model.step()) {}
            for (int i = 0; i < 3 * RecordWord.ATTEMPTS; i++) {
                ModelStructure.Client doomed = run.model.client();
                run.put(doomed, false);
                while (run.word().claimant() != doomed.writer) {
                    assertThat(run.model.step()).as("claimed by writer %s", i).isTrue();
                }
                doomed.kill();
                if (isNoticed || i < 3 * RecordWord.ATTEMPTS - 1) { // two silent ones would use up the images
                    doomed.disconnect();
                }
            }
            RecordRun.Call last = run.put(run.model.clients().get(1), false);
            run.steps(100_000);
            assertThat(last.ended).isTrue();
            assertThat(run.word().version()).isEqualTo(2);
            run.heal();
        }
    }

    @Test
    void aWriterThatComesBackLateFromAnyStepDestroysNothing() {
        boolean longer = true;
        for (int step = 0; longer; step++) {
            try (RecordRun run = run(step, 100)) {
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
    }

    @Test
    void twoSilentWritersAreReportedAndTheEndOfOneUnblocks() {
        try (RecordRun run = run(1, 100)) {
            List<ModelStructure.Client> silent = run.model.clients().subList(0, 2);
            for (ModelStructure.Client client : silent) {
                run.put(client, false);
                while (run.word().claimant() != client.writer) {
                    run.model.step();
                }
                client.pause(true);
                client.stall(true);
            }
            ModelStructure.Client third = run.model.clients().get(2);
            List<Object> results = new ArrayList<>();
            RecordRun.Call call = run.new Call(third);
            run.records(third).put(0, new byte[1], call.<Long>outcome(results::add, results::add));
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
}
