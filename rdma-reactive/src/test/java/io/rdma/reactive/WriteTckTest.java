package io.rdma.reactive;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** TCK of Reactive Streams for a write. */
public class WriteTckTest extends EmptyTck {
    @Override
    Mono<Void> operation(TckPair.Ends ends) {
        MemoryRegion target = Objects.requireNonNull(
                ends.server().allocate(8, AccessFlag.REMOTE_WRITE).block(TckPair.PATIENCE));
        RegisteredBuffer source = Objects.requireNonNull(ends.client().acquire().block(TckPair.PATIENCE));
        return ends.client().write(source.limit(8), target.remote()).doFinally(end -> source.close());
    }
}
