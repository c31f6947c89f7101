package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

// Invariants, see docs/guide/structures.md
// - A client writes only the target image of a word that it has made by a claim, and once for each claim.
// - It publishes that image by a compare-and-swap of the word behind the write. So this fails if the client was taken
// over meanwhile, and then its write, late or not, has gone to an image that nobody reads or writes.
// - A client that finds itself a suspect clears that when its write has ended; nobody else does while it is connected.
// - What may fail at this client alone comes before the claim: the change, its encoding, room in registered memory. A
// claim that cannot be published nevertheless is given back, behind its write; if that fails too, the connection ends.
// - A claim is taken over if its writer is no longer connected, or after it was seen unchanged for the lease by the
// clock of the client that takes it over. Only the former leaves no suspect.
// - The state of a writer is read after the word that names it. A compare-and-swap that then succeeds proves that the
// word did not change, so the writer that was found to be gone is the one that made it. RecordWord has the bound.

/** A change of a record: a look, compare-and-swap to claim it, WRITE and compare-and-swap to publish it. */
final class UpdateCall extends RecordCall<Long> {
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

    private final long leaseNanos;
    private final int writer;
    private final boolean needsContent;
    private final Change change;
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
        super(access, layout, index, outcome);
        this.leaseNanos = lease.toNanos();
        this.writer = writer;
        this.needsContent = needsContent;
        this.change = change;
    }

    @Override
    void attempt() {
        if (needsContent) {
            look(this::decide);
        } else {
            load(word(), bits -> decide(new RecordLayout.Snapshot(new RecordWord(bits), null)));
        }
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
        ifGone(word.claimant(), () -> claim(word, word.inheritedBy(writer), content), () -> {
            if (waited < leaseNanos) {
                pause();
            } else if (word.suspect() == 0) {
                claim(word, word.takenOverBy(writer), content);
            } else {
                ifGone(
                        word.suspect(),
                        () -> claim(word, word.takenOverBy(writer), content),
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
        byte[] image = layout.encode(index, claimed.nextVersion(), content);
        access.prepare(image, ready -> claim(word, claimed, ready), this::fail);
    }

    private void claim(RecordWord word, RecordWord claimed, StructureAccess.Prepared image) {
        if (isOver()) {
            image.discard();
            return;
        }
        LongConsumer swapped = old -> {
            if (old == word.bits()) {
                publish(claimed, image);
            } else {
                image.discard();
                guarded(this::again);
            }
        };
        access.compareAndSwap(word(), word.bits(), claimed.bits(), swapped, error -> {
            image.discard();
            fail(error);
        });
    }

    private void publish(RecordWord claimed, StructureAccess.Prepared image) {
        RecordWord published = claimed.published();
        try {
            image.writeThenSwap(
                    layout.offset(index, claimed.target()),
                    word(),
                    claimed.bits(),
                    published.bits(),
                    old -> guarded(() -> written(claimed, new RecordWord(old))),
                    error -> abandon(claimed, error));
        } catch (Throwable e) { // such as a lack of memory
            image.discard();
            abandon(claimed, e);
        }
    }

    /** The image is written, and its publication was tried on the word that was there. */
    private void written(RecordWord claimed, RecordWord old) {
        if (old.equals(claimed)) {
            succeed(claimed.nextVersion());
        } else if (old.equals(claimed.cleared())) { // a suspect has left meanwhile
            swap(old, old.published(), then -> written(old, then), error -> abandon(old, error));
        } else {
            leave(old, this::again);
        }
    }

    /** Gives back a claim that cannot be published, then fails. */
    private void abandon(RecordWord claimed, Throwable error) {
        Consumer<RecordWord> swapped = old -> {
            if (old.equals(claimed)) {
                fail(error);
            } else if (old.equals(claimed.cleared())) {
                abandon(old, error);
            } else {
                leave(old, () -> fail(error));
            }
        };
        swap(claimed, claimed.givenBack(), swapped, e -> end(error));
    }

    /** Clears the suspicion of this client, whose write has ended or will never begin. */
    private void leave(RecordWord word, Runnable then) {
        if (word.suspect() != writer) {
            then.run();
            return;
        }
        Consumer<RecordWord> swapped = old -> {
            if (old.equals(word)) {
                then.run();
            } else {
                leave(old, then);
            }
        };
        swap(word, word.cleared(), swapped, this::end);
    }

    /** Ends the connection, and with it what this client has left in the word. */
    private void end(Throwable error) {
        try {
            access.end(error);
        } finally {
            fail(error);
        }
    }

    /** Replaces a word that names this client. A failure is handled even if nobody waits for this call any more. */
    private void swap(RecordWord expected, RecordWord update, Consumer<RecordWord> then, Consumer<Throwable> failed) {
        try {
            access.compareAndSwap(
                    word(),
                    expected.bits(),
                    update.bits(),
                    old -> guarded(() -> then.accept(new RecordWord(old))),
                    failed);
        } catch (Throwable e) { // such as a lack of stack: nothing was requested
            failed.accept(e);
        }
    }
}
