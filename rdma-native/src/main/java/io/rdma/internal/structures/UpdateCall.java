package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants, see docs/guide/structures.md
// - A client writes only the target image of a word that it has made by a claim, and once for each claim.
// - It publishes that image by a compare-and-swap of the word behind the write. So this fails if the client was taken
// over meanwhile, and then its write, late or not, has gone to an image that nobody reads or writes.
// - A client that finds itself a suspect clears that when its write has ended; nobody else does while it is connected.
// - A claim is taken over if its writer is no longer connected, or after it was seen unchanged for the lease by the
// clock of the client that takes it over. Only the former leaves no suspect.
// - The state of a writer is read after the word that names it. A compare-and-swap that then succeeds proves that the
// word did not change, so the writer that was found to be gone is the one that made it.

/** A change of a record: READ, compare-and-swap to claim it, WRITE and compare-and-swap to publish it. */
final class UpdateCall extends StructureCall<Long> {
    /** Leases after which a claim that cannot be taken over is reported. */
    private static final int HOPELESS = 4;

    /** A function from the present content to the new one. */
    @FunctionalInterface
    interface Change {
        /**
         * Decides.
         *
         * @param version present version; 0 if there is no value
         * @param next version that the new content would have
         * @param content present content; null if there is no value, or if it is not needed
         * @return the new content; null to change nothing
         */
        byte @Nullable [] apply(long version, long next, byte @Nullable [] content);
    }

    private final RecordLayout layout;
    private final int index;
    private final long leaseNanos;
    private final int writer;
    private final boolean needsContent;
    private final Change change;
    private final ReadCall.Torn torn = new ReadCall.Torn();
    private @Nullable RecordWord observed; // the claim for which this call waits
    private long observedAt;

    /**
     * @param writer number of this client
     * @param needsContent whether the change needs the present content
     */
    UpdateCall(
            StructureAccess access,
            RecordLayout layout,
            int index,
            Duration lease,
            int writer,
            boolean needsContent,
            Change change,
            Outcome<? super Long> outcome) {
        super(access, outcome);
        this.layout = layout;
        this.index = index;
        this.leaseNanos = lease.toNanos();
        this.writer = writer;
        this.needsContent = needsContent;
        this.change = change;
    }

    private long word() {
        return layout.offset(index);
    }

    @Override
    void attempt() {
        read(word(), needsContent ? layout.bytes() : RecordLayout.WORD, bytes -> {
            RecordLayout.Snapshot found = needsContent
                    ? layout.decode(index, bytes)
                    : new RecordLayout.Snapshot(RecordLayout.word(bytes), null);
            if (needsContent && found.isTorn()) {
                torn.met(found.word(), index);
                again();
            } else {
                decide(found);
            }
        });
    }

    private void decide(RecordLayout.Snapshot found) {
        RecordWord word = found.word();
        byte[] content = change.apply(word.version(), word.nextVersion(), found.content());
        if (content == null) {
            succeed(null);
        } else if (word.isFree()) {
            claim(word, word.claimedBy(writer), content);
        } else {
            contend(word, content);
        }
    }

    /** Waits for the end of another claim, or takes it over. */
    private void contend(RecordWord word, byte[] content) {
        long now = access.nanoTime();
        if (observed == null || !observed.isSameAs(word)) {
            observed = word;
            observedAt = now;
            pause();
            return;
        }
        long waited = now - observedAt;
        ifGone(word.claimant(), () -> takeOver(word, word.inheritedBy(writer), content), () -> {
            if (waited < leaseNanos) {
                pause();
            } else if (word.suspect() == 0) {
                takeOver(word, word.takenOverBy(writer), content);
            } else {
                ifGone(
                        word.suspect(),
                        () -> takeOver(word, word.takenOverBy(writer), content),
                        () -> waitOn(word, waited));
            }
        });
    }

    /** Finds out whether a writer can write no more. This client itself can, also in another call. */
    private void ifGone(int number, Runnable gone, Runnable present) {
        read(StructureHeader.writerOffset(number), Long.BYTES, bytes -> {
            boolean isGone = !WriterNumbers.isInUse(bytes);
            (isGone && number != writer ? gone : present).run();
        });
    }

    private void takeOver(RecordWord word, RecordWord claimed, byte[] content) {
        if (word.mayBeTakenOver()) {
            claim(word, claimed, content);
        } else {
            waitOn(word, access.nanoTime() - observedAt);
        }
    }

    private void waitOn(RecordWord word, long waited) {
        if (waited < HOPELESS * leaseNanos) {
            pause();
            return;
        }
        throw new StructureException(
                Reason.BUSY,
                "record " + index + " is claimed by writer " + word.claimant() + ", and writer " + word.suspect()
                        + " has left a put of it unfinished before. Both are silent and still connected: close their"
                        + " connections at the host, then try again");
    }

    private void claim(RecordWord word, RecordWord claimed, byte[] content) {
        if (isOver()) {
            return;
        }
        compareAndSwap(word(), word.bits(), claimed.bits(), old -> {
            if (old == word.bits()) {
                write(claimed, content);
            } else {
                again();
            }
        });
    }

    private void write(RecordWord claimed, byte[] content) {
        RecordWord published = claimed.published();
        access.writeThenSwap(
                layout.offset(index, claimed.target()),
                layout.encode(index, published.version(), content),
                word(),
                claimed.bits(),
                published.bits(),
                old -> guarded(() -> written(claimed, new RecordWord(old))),
                this::fail);
    }

    /** The image is written, and its publication was tried on the word that was there. */
    private void written(RecordWord claimed, RecordWord old) {
        if (old.equals(claimed)) {
            succeed(claimed.nextVersion());
        } else if (old.isSameAs(claimed)) { // a suspect has left meanwhile
            swap(old, old.published(), then -> written(old, then));
        } else {
            leave(old);
        }
    }

    /** Clears the suspicion of this client, whose write has ended, and begins anew. */
    private void leave(RecordWord word) {
        if (word.suspect() == writer) {
            swap(word, word.cleared(), old -> {
                if (old.equals(word)) {
                    again();
                } else {
                    leave(old);
                }
            });
        } else {
            again();
        }
    }

    private void swap(RecordWord expected, RecordWord update, Consumer<RecordWord> then) {
        compareAndSwap(word(), expected.bits(), update.bits(), old -> then.accept(new RecordWord(old)));
    }
}
