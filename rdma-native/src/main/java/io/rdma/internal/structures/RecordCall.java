package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Why a snapshot is of one moment: a version is published once, with one image, which was written before. So an image
// whose version is the one in the word, and whose checksum is right, is that version's, in whatever order the device
// read the bytes. An image is written again only after two more versions were published, or a third image is in use.
//
// The word that a READ returns may itself be of two moments. Then it names a version that is neither: one that no image
// has, or one that is older than what some image shows. A version that is wrong and passes needs more than 30 puts
// while the device reads the eight bytes of the word, because the lowest five bits of the version lie in one byte.
// What this does not decide, an atomic does, which reads the word at one moment.

/**
 * A call that looks at a record: by one READ, or, if its bytes are not of one moment, by an atomic of the word and a
 * READ behind it.
 *
 * @param <T> type of the result
 */
abstract class RecordCall<T> extends StructureCall<T> {
    final RecordLayout layout;
    final int index;
    private boolean isCertain; // whether the word is loaded before the images are read
    private @Nullable RecordWord missed; // the last loaded word whose image the read behind it has not found

    RecordCall(StructureAccess access, RecordLayout layout, int index, Outcome<? super T> outcome) {
        super(access, outcome);
        this.layout = layout;
        this.index = index;
    }

    final long word() {
        return layout.offset(index);
    }

    /**
     * Looks at the record. Begins another attempt if puts came in between.
     *
     * @param then gets what was there at one moment
     */
    final void look(Consumer<RecordLayout.Snapshot> then) {
        if (isCertain) {
            load(word(), bits -> look(new RecordWord(bits), then));
            return;
        }
        read(word(), layout.bytes(), bytes -> {
            RecordLayout.Snapshot found = layout.decode(index, bytes);
            isCertain = found == null;
            found(found, then);
        });
    }

    private void look(RecordWord word, Consumer<RecordLayout.Snapshot> then) {
        if (word.version() == 0) {
            then.accept(new RecordLayout.Snapshot(word, null));
            return;
        }
        if (missed != null && missed.version() == word.version()) { // the read in between saw it throughout
            throw new StructureException(
                    Reason.CORRUPT,
                    "record " + index + " does not hold version " + word.version() + ", which its word names: something"
                            + " else writes into the memory, or a client does not use this library. Put the"
                            + " memory anew, and admit trusted clients only");
        }
        missed = word;
        read(word(), layout.bytes(), bytes -> found(layout.decode(index, bytes, word), then));
    }

    private void found(RecordLayout.@Nullable Snapshot found, Consumer<RecordLayout.Snapshot> then) {
        if (found == null) {
            again();
        } else {
            missed = null;
            then.accept(found);
        }
    }
}
