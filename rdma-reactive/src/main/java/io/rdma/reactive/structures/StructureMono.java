package io.rdma.reactive.structures;

import io.rdma.internal.os.StackRoom;
import io.rdma.internal.structures.StructureCall;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Monos of calls of structures. */
final class StructureMono {
    private StructureMono() {}

    /**
     * Returns a Mono that starts a call for each subscriber, at its first request.
     *
     * @param start starts the call; what it throws is signalled
     */
    static <T> Mono<T> of(Function<StructureCall.Outcome<T>, StructureCall<?>> start) {
        return Mono.create(sink -> {
            AtomicBoolean started = new AtomicBoolean();
            sink.onRequest(n -> {
                StackRoom.require(StackRoom.CLOSE); // first: the error says that nothing has happened
                if (started.compareAndSet(false, true)) {
                    start(start, sink);
                }
            });
        });
    }

    private static <T> void start(Function<StructureCall.Outcome<T>, StructureCall<?>> start, MonoSink<T> sink) {
        try {
            sink.onCancel(start.apply(new Signals<>(sink))::cancel);
        } catch (Throwable e) { // such as an index that does not exist
            sink.error(e);
        }
    }

    private record Signals<T>(MonoSink<T> sink) implements StructureCall.Outcome<T> {
        @Override
        public void succeeded(@Nullable T value) {
            sink.success(value);
        }

        @Override
        public void failed(Throwable error) {
            sink.error(error);
        }
    }
}
