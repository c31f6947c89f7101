package io.rdma.reactive;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** TCK of Reactive Streams for a read. */
public class ReadTckTest extends EmptyTck {
    @Override
    Mono<Void> operation(TckPair.Ends ends) {
        MemoryRegion source = Objects.requireNonNull(
                ends.server().allocate(8, AccessFlag.REMOTE_READ).block(TckPair.PATIENCE));
        RegisteredBuffer target = Objects.requireNonNull(ends.client().acquire().block(TckPair.PATIENCE));
        return ends.client().read(source.remote(), target.limit(8)).doFinally(end -> target.close());
    }
}
