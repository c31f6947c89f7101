package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

// Why a snapshot is of one moment: a version is published once, with one image, which was written before. So an image
// whose version is the one in the word, and whose checksum is right, is that version's, in whatever order the device
// read the bytes. An image is written again only after two more versions were published, or a third image is in use.

/**
 * The read of a record: one READ, and another one for each put that is found to have come in between.
 *
 * @param <T> type of the result
 */
final class ReadCall<T> extends StructureCall<T> {
    /**
     * Reads of the same version that must fail until the record is corrupt: the one in the middle saw it throughout.
     */
    private static final int PROOF = 3;

    private final RecordLayout layout;
    private final int index;
    private final Function<RecordLayout.Snapshot, @Nullable T> result;
    private final Torn torn = new Torn();

    ReadCall(
            StructureAccess access,
            RecordLayout layout,
            int index,
            Function<RecordLayout.Snapshot, @Nullable T> result,
            Outcome<? super T> outcome) {
        super(access, outcome);
        this.layout = layout;
        this.index = index;
        this.result = result;
    }

    @Override
    void attempt() {
        read(layout.offset(index), layout.bytes(), bytes -> {
            RecordLayout.Snapshot found = layout.decode(index, bytes);
            if (found.isTorn()) {
                torn.met(found.word(), index);
                again();
            } else {
                succeed(result.apply(found));
            }
        });
    }

    /** Torn reads of one call, one after the other. */
    static final class Torn {
        private long version;
        private int times;

        /**
         * Counts a torn read.
         *
         * @throws StructureException CORRUPT if the reads prove that no put tore them
         */
        void met(RecordWord word, int index) {
            times = word.version() == version ? times + 1 : 1;
            version = word.version();
            if (times >= PROOF) {
                throw new StructureException(
                        Reason.CORRUPT,
                        "record " + index + " does not hold version " + version + ", which its word names: something"
                                + " else writes into the memory, or a client does not use this library. Put the"
                                + " memory anew, and admit trusted clients only");
            }
        }
    }
}
