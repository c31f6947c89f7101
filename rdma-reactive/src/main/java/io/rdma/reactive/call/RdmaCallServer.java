package io.rdma.reactive.call;

import io.rdma.internal.call.CallFrame;
import io.rdma.reactive.MessageCodec;
import io.rdma.reactive.RdmaConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Handlers of calls, for any number of connections. {@link #serve} runs them for one connection:
 *
 * <pre>{@code
 * RdmaServer.create().handle(calls::serve)
 * }</pre>
 */
public final class RdmaCallServer {
    private final Map<String, CallHandler<?, ?>> handlers;
    private final int maxInFlight;
    private final Set<ServedConnection> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    private RdmaCallServer(Builder builder) {
        handlers = Map.copyOf(builder.handlers);
        maxInFlight = builder.maxInFlight;
    }

    /**
     * Creates a builder without handlers.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builder of a server. Not thread-safe. */
    public static final class Builder {
        private final Map<String, CallHandler<?, ?>> handlers = new HashMap<>();
        private int maxInFlight = RdmaCallClient.MAX_IN_FLIGHT;

        private Builder() {}

        /**
         * Limits the requests of one connection that are processed at a time. A further one is refused with the status
         * {@code BUSY}. The default is 64.
         *
         * @param requests 1 or more
         * @return this builder
         */
        public Builder maxInFlight(int requests) {
            if (requests < 1) {
                throw new IllegalArgumentException("maxInFlight is " + requests + ": use 1 or more");
            }
            maxInFlight = requests;
            return this;
        }

        /**
         * Adds a handler.
         *
         * @param <Q> type of the requests
         * @param <A> type of the answers
         * @param name name of the calls, 1 to 255 bytes in UTF-8
         * @param requests codec of the requests
         * @param answers codec of the answers
         * @param handler makes the answer, exactly one. It is called and subscribed on the completion loop, and must
         *     not block. It is cancelled when the client cancels the call, when its time is over, and when the
         *     connection has ended. An error {@link io.rdma.call.RdmaCallException#of} is one of the application. Of
         *     any other error the client gets the class, and the log the details
         * @return this builder
         * @throws IllegalArgumentException if the name is used or too long
         */
        public <Q, A> Builder handle(
                String name, MessageCodec<Q> requests, MessageCodec<A> answers, Function<? super Q, Mono<A>> handler) {
            CallFrame.checkedName(name);
            if (handlers.containsKey(name)) {
                throw new IllegalArgumentException("there is a handler \"" + name + "\" already: choose another name");
            }
            handlers.put(
                    name,
                    new CallHandler<>(
                            Objects.requireNonNull(requests, "requests"),
                            Objects.requireNonNull(answers, "answers"),
                            Objects.requireNonNull(handler, "handler")));
            return this;
        }

        /**
         * Creates the server.
         *
         * @return the server
         */
        public RdmaCallServer build() {
            return new RdmaCallServer(this);
        }
    }

    /**
     * Processes the requests of a client on the peer. Meanwhile no other code may receive from this connection.
     * Requests that cannot be processed get an error as their answer.
     *
     * <p><b>Completes</b> when the connection has ended in an orderly way, or after {@link #stop} when all requests
     * have their answers. <b>Errors</b> with {@link io.rdma.engine.ConnectionClosedException} when the connection is
     * lost, and with {@link io.rdma.engine.UnreliableConnectionException} if it is unreliable. <b>Cancel</b> and the
     * end of the connection cancel the handlers.
     *
     * @param connection connection to the client
     * @return completes empty
     */
    public Mono<Void> serve(RdmaConnection connection) {
        return Mono.defer(() -> {
            ServedConnection session = new ServedConnection(connection, handlers, maxInFlight);
            sessions.add(session);
            if (stopping) {
                session.stop(); // stop() may have run before `sessions` contained it
            }
            return session.run().doFinally(signal -> sessions.remove(session));
        });
    }

    /**
     * Returns the number of requests that are being processed.
     *
     * @return requests of all connections
     */
    public int inFlight() {
        return sessions.stream().mapToInt(ServedConnection::inFlight).sum();
    }

    /**
     * Accepts no more requests: they are refused with the status {@code STOPPING}.
     *
     * <p><b>Completes</b> when the accepted requests have their answers and every {@link #serve} has ended, at the
     * latest when the patience is over: handlers that still run are cancelled then. The item is whether all accepted
     * requests have their answers.
     *
     * @param patience maximum time to wait; one that is longer than 24 days is shortened to that
     * @return true if all accepted requests have their answers
     */
    public Mono<Boolean> stop(Duration patience) {
        return Mono.defer(() -> {
            stopping = true;
            sessions.forEach(ServedConnection::stop);
            return Flux.fromIterable(Set.copyOf(sessions))
                    .flatMap(ServedConnection::ended)
                    .then(Mono.just(true))
                    .timeout(RdmaCallClient.bounded(patience), Mono.fromSupplier(() -> {
                        sessions.forEach(ServedConnection::cancel);
                        return false;
                    }));
        });
    }
}
