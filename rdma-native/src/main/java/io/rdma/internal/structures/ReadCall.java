package io.rdma.internal.structures;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The read of a record: one READ, and further ones if puts are found to have come in between.
 *
 * @param <T> type of the result
 */
final class ReadCall<T> extends RecordCall<T> {
    private final Function<RecordLayout.Snapshot, @Nullable T> result;

    ReadCall(
            StructureAccess access,
            RecordLayout layout,
            int index,
            Function<RecordLayout.Snapshot, @Nullable T> result,
            Outcome<? super T> outcome) {
        super(access, layout, index, outcome);
        this.result = result;
    }

    @Override
    void attempt() {
        look(found -> succeed(result.apply(found)));
    }
}
