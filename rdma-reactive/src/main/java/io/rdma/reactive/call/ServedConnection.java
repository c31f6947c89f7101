package io.rdma.reactive.call;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.call.RdmaCallException;
import io.rdma.internal.call.ActiveCalls;
import io.rdma.internal.call.CallErrors;
import io.rdma.internal.call.CallFrame;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.reactive.RdmaConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

// Invariants
// - The receiver never waits for a handler, so a cancellation always gets through. It waits while it refuses a request,
// which slows down a client that sends too many.
// - Each accepted request gets exactly one answer or error, also if it was cancelled, unless the connection has ended.

/** Requests of one connection, while a server processes them. */
final class ServedConnection {
    private static final Logger LOG = System.getLogger(RdmaCallServer.class.getName());

    private final RdmaConnection connection;
    private final Map<String, CallHandler<?, ?>> handlers;
    private final Sinks.Empty<Void> idle = Sinks.empty();
    private final Sinks.Empty<Void> ended = Sinks.empty();
    private final ActiveCalls<ServedCall> active;

    ServedConnection(RdmaConnection connection, Map<String, CallHandler<?, ?>> handlers, int maxInFlight) {
        this.connection = connection;
        this.handlers = handlers;
        EndpointOptions options = Endpoint.of(connection.endpoint()).options();
        options.abilities().requireReliable("calls");
        active = new ActiveCalls<>(maxInFlight, options.capacity().maxSendWr(), idle::tryEmitEmpty);
    }

    /** Returns the number of requests that are being processed. */
    int inFlight() {
        return active.all().size();
    }

    /** Processes requests until the connection has ended or the calls have stopped. */
    Mono<Void> run() {
        return connection
                .receive(this::take)
                .concatMap(refusal -> refusal)
                .takeUntilOther(idle.asMono())
                .then()
                .doFinally(signal -> {
                    active.stop(); // a request that the receiver has in its hand now is refused, or is in `all`
                    active.all().forEach(ServedCall::dispose); // nobody receives an answer any more
                    ended.tryEmitEmpty();
                });
    }

    /** Accepts no more requests. */
    void stop() {
        active.stop();
    }

    /** Completes when {@link #run} has ended. */
    Mono<Void> ended() {
        return ended.asMono();
    }

    /** Ends {@link #run}. */
    void cancel() {
        idle.tryEmitEmpty();
    }

    /** Processes a message, and returns what the receiver awaits. Never throws, so that it never ends the receiver. */
    private Mono<Void> take(ReceivedMessage message) {
        CallFrame frame = CallFrame.read(message.segment());
        switch (frame.kind()) {
            case REQUEST -> {
                CallHandler<?, ?> handler = handlers.get(frame.name());
                return handler == null
                        ? refuse(frame.id(), CallErrors.unknownCall(frame.name()))
                        : accept(frame, message, handler);
            }
            case CANCEL -> {
                ServedCall call = active.get(frame.id());
                if (call != null) {
                    call.cancel();
                }
                return Mono.empty();
            }
            default -> {
                RdmaCallException problem = frame.problem();
                return problem == null ? Mono.empty() : refuse(frame.id(), problem);
            }
        }
    }

    private <Q, A> Mono<Void> accept(CallFrame frame, ReceivedMessage message, CallHandler<Q, A> handler) {
        Q request;
        try {
            request = CallMessages.decode(frame, message, handler.requests());
        } catch (RuntimeException | StackOverflowError e) { // a value may be nested too deeply
            RdmaCallException error = CallErrors.undecodableRequest(frame.name(), e);
            log(frame, error);
            return refuse(frame.id(), error);
        }
        ServedCall call = new ServedCall();
        try {
            active.begin(frame.id(), call);
        } catch (RdmaCallException e) {
            return refuse(frame.id(), e);
        }
        call.run(Mono.defer(() -> handler.handler().apply(request))
                .timeout(
                        Duration.ofMillis(Math.max(1, frame.value())),
                        Mono.error(() -> CallErrors.deadlineExceeded(frame.name())))
                .takeUntilOther(call.cancelled())
                .switchIfEmpty(Mono.error(() -> call.isCancelled()
                        ? CallErrors.cancelled(frame.name())
                        : new IllegalStateException("the handler completed without an answer")))
                .flatMap(answer -> {
                    active.answering(frame.id());
                    return CallMessages.send(connection, CallFrame.answer(frame.id()), answer, handler.answers());
                })
                .onErrorResume(error -> fail(frame, error))
                .doFinally(signal -> active.end(frame.id())));
        return Mono.empty();
    }

    private Mono<Void> fail(CallFrame frame, Throwable failure) {
        if (connection.isDisposed()) {
            return Mono.empty();
        }
        active.answering(frame.id());
        RdmaCallException error = CallErrors.failed(frame.name(), failure);
        if (error.getCause() != null) {
            log(frame, error);
        }
        return refuse(frame.id(), error);
    }

    private void log(CallFrame frame, RdmaCallException error) {
        LOG.log(Level.WARNING, "call \"" + frame.name() + "\" of " + connection + " failed: " + error.getCause());
        LOG.log(Level.DEBUG, "details", error);
    }

    private Mono<Void> refuse(int id, RdmaCallException error) {
        // It fails only if the connection is ending. The receiver reports that.
        return CallMessages.sendError(connection, id, error).onErrorComplete();
    }
}
