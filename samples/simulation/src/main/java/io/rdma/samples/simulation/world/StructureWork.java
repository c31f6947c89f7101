package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.structures.StructureException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Operations of a client on the structures of its server, compared with models of them. */
final class StructureWork {
    private final Session session;
    private final Host host;
    private final Link link;
    private final StructureLink structures;
    private final StructureAdmission admission;
    private final StructurePlan plan;
    private final Verdict verdict;
    private final Duration bound;
    private final List<StructureKind> opened = new ArrayList<>();

    StructureWork(Session session, Host host, Link link, StructureAdmission admission, Plan run, Verdict verdict) {
        this.session = session;
        this.host = host;
        this.link = link;
        structures = link.structures();
        this.admission = admission;
        plan = run.structures();
        this.verdict = verdict;
        bound = World.PATIENCE.plusNanos(
                run.faults().stream().mapToLong(Plan.Fault::lasts).sum());
    }

    /** Starts the threads. Returns what completes when all have ended. */
    CompletableFuture<Void> start(Choices choices) {
        return started("structures", () -> {
            open();
            boolean hasRing = opened.remove(StructureKind.RING);
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < plan.threads() && !opened.isEmpty(); i++) {
                StructureLane lane = new StructureLane(this, "structures " + i, choices.split());
                threads.add(started("structures " + i, lane::work));
            }
            if (hasRing) {
                StructureLane lane = new StructureLane(this, "producer", choices.split());
                threads.add(started("producer", lane::produce));
            }
            threads.forEach(CompletableFuture::join);
        });
    }

    private CompletableFuture<Void> started(String name, Runnable work) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        host.run(name, () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                verdict.failure(session + " " + name, host, e);
            } finally {
                end.complete(null);
            }
        });
        return end;
    }

    /** Opens the structures. One whose requests are larger than the client's buffers is refused. */
    private void open() {
        int room = link.endpoint().sendBuffers().bufferSize();
        admission.locations().forEach((kind, location) -> {
            Call<Void> opening = session.started(structures.open(session + " open " + kind, kind, location));
            opening.end().whenComplete((nothing, failure) -> {
                if (failure == null || failure instanceof StructureException) {
                    verdict.check(
                            room >= plan.largestRequest(kind) == (failure == null),
                            "open " + kind + " with buffers of " + room + " bytes: " + failure);
                }
            });
            if (verdict.endsWithin(bound, opening) && opening.succeeds()) {
                opened.add(kind);
            }
        });
    }

    List<StructureKind> opened() {
        return opened;
    }

    StructureLink structures() {
        return structures;
    }

    StructureAdmission admission() {
        return admission;
    }

    StructurePlan plan() {
        return plan;
    }

    /** Returns the time of the client's clock. */
    long now() {
        return host.nanoTime();
    }

    boolean isOpen() {
        return !link.endpoint().isClosing();
    }

    /** Notes a call of the session, which a fault may cancel. */
    void begun(Call<?> call) {
        session.started(call);
    }

    /** Waits for the end of a call. Returns whether it succeeded. */
    boolean succeeds(Call<?> call) {
        return verdict.endsWithin(bound, call) && call.succeeds();
    }

    @Override
    public String toString() {
        return session.toString();
    }
}
