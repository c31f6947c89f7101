package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Puts whose steps fail at the client itself: no claim stays that nobody ends. */
class RecordRefusalTest {
    /** The end of a put: its version, or its error. */
    private static final class End implements StructureCall.Outcome<Long> {
        private final List<Object> ends = new ArrayList<>();

        @Override
        public void succeeded(@Nullable Long version) {
            ends.add(version);
        }

        @Override
        public void failed(Throwable error) {
            ends.add(error);
        }
    }

    private static End put(RecordRun run, ModelStructure.Client client, UpdateCall.Change change) {
        End end = new End();
        new UpdateCall(client, run.header.records(), 0, RecordRun.LEASE, client.writer, false, change, end).start();
        return end;
    }

    private static void isFreeForOthers(RecordRun run, long version) {
        assertThat(run.word().isFree()).isTrue();
        assertThat(put(run, run.model.clients().get(1), (before, next, old) -> new byte[1]).ends)
                .isEmpty();
        while (run.model.step()) {}
        assertThat(run.word().version()).isEqualTo(version + 1);
    }

    private static void claimsNothing(UpdateCall.Change change, Class<? extends Throwable> error) {
        try (RecordRun run = new RecordRun(1, 16)) {
            RecordWord before = run.word();
            End end = put(run, run.model.clients().getFirst(), change);
            while (run.model.step()) {
                assertThat(run.word()).isEqualTo(before);
            }
            assertThat(end.ends).hasExactlyElementsOfTypes(error);
            isFreeForOthers(run, 0);
        }
    }

    @Test
    void aContentThatCannotBeEncodedClaimsNothing() {
        byte[] tooLong = new byte[17];
        claimsNothing((present, next, old) -> tooLong, IllegalArgumentException.class);
    }

    @Test
    void aChangeThatThrowsClaimsNothing() {
        claimsNothing(
                (present, next, old) -> {
                    throw new UnsupportedOperationException("a test's");
                },
                UnsupportedOperationException.class);
    }

    @Test
    void aPutOfWhichAnyOneStepIsRefusedGivesItsClaimBack() {
        boolean refused = true;
        for (int step = 0; refused; step++) {
            try (RecordRun run = new RecordRun(step, 16)) {
                ModelStructure.Client client = run.model.clients().getFirst();
                client.refuse(step, step + 1);
                End end = put(run, client, (before, next, old) -> new byte[2]);
                while (run.model.step()) {}
                refused = client.hasRefused();
                assertThat(end.ends)
                        .as("step %s", step)
                        .hasExactlyElementsOfTypes(refused ? IllegalStateException.class : Long.class);
                assertThat(client.isGone()).isFalse();
                isFreeForOthers(run, refused ? 0 : 1);
            }
        }
    }

    @Test
    void aClientThatCannotGiveItsClaimBackEndsItsConnection() {
        boolean refused = true;
        int gone = 0;
        for (int step = 0; refused; step++) {
            try (RecordRun run = new RecordRun(step, 16)) {
                ModelStructure.Client client = run.model.clients().getFirst();
                client.refuse(step, Integer.MAX_VALUE);
                End end = put(run, client, (before, next, old) -> new byte[2]);
                while (run.model.step()) {}
                refused = client.hasRefused();
                boolean isClaimed = !run.word().isFree();
                assertThat(client.isGone()).as("step %s", step).isEqualTo(isClaimed);
                assertThat(end.ends).hasExactlyElementsOfTypes(refused ? IllegalStateException.class : Long.class);
                long begun = run.model.now();
                End other = put(run, run.model.clients().get(1), (before, next, old) -> new byte[1]);
                while (run.model.step()) {}
                assertThat(other.ends).hasExactlyElementsOfTypes(Long.class);
                assertThat(run.model.now() - begun).isLessThan(RecordRun.LEASE.toNanos()); // nobody waits for the lease
                gone += isClaimed ? 1 : 0;
            }
        }
        assertThat(gone).isEqualTo(2); // the write is refused, or the swap behind it
    }

    /** A writer that is suspected, and cannot clear that, would keep its image for ever. */
    @Test
    void aSuspectThatCannotLeaveEndsItsConnection() {
        try (RecordRun run = new RecordRun(1, 16)) {
            ModelStructure.Client late = run.model.clients().getFirst();
            put(run, late, (before, next, old) -> new byte[2]);
            while (run.word().claimant() != late.writer) {
                run.model.step();
            }
            late.pause(true);
            End other = put(run, run.model.clients().get(1), (before, next, old) -> new byte[1]);
            run.steps(20_000);
            assertThat(other.ends).hasExactlyElementsOfTypes(Long.class);
            assertThat(run.word().suspect()).isEqualTo(late.writer);
            late.refuse(2, Integer.MAX_VALUE); // behind its write and its swap
            late.pause(false);
            while (run.model.step()) {}
            assertThat(late.isGone()).isTrue();
            isFreeForOthers(run, 1);
        }
    }
}
