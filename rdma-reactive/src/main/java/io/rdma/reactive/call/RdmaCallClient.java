package io.rdma.reactive.call;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.call.CallErrors;
import io.rdma.internal.call.CallFrame;
import io.rdma.internal.call.CallTable;
import io.rdma.internal.engine.Endpoint;
import io.rdma.reactive.MessageCodec;
import io.rdma.reactive.RdmaConnection;
import java.time.Duration;
import java.util.Objects;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * Client of an {@link RdmaCallServer} on the peer. Any number of calls may be in flight, and answers arrive in any
 * order. Thread-safe.
 */
public final class RdmaCallClient implements Disposable {
    /** Default number of calls in flight. */
    static final int MAX_IN_FLIGHT = 64;

    /** The server gets the time as an {@code int} of milliseconds. */
    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    private final RdmaConnection connection;
    private final CallTable<OutgoingCall<?>> table;
    private final Disposable.Swap receiving = Disposables.swap();

    private RdmaCallClient(RdmaConnection connection, int maxInFlight) {
        Endpoint.of(connection.endpoint()).options().abilities().requireReliable("calls");
        this.connection = connection;
        table = new CallTable<>(maxInFlight);
    }

    /**
     * Creates a client with at most 64 calls in flight. Until it is disposed, no other code may receive from the
     * connection.
     *
     * @param connection connection to the server, which the client does not close
     * @return the client
     * @throws io.rdma.engine.UnreliableConnectionException if the connection is unreliable
     */
    public static RdmaCallClient create(RdmaConnection connection) {
        return create(connection, MAX_IN_FLIGHT);
    }

    /**
     * Creates a client. Until it is disposed, no other code may receive from the connection.
     *
     * @param connection connection to the server, which the client does not close
     * @param maxInFlight number of calls without an answer, from 1, at most that of the server; further calls wait
     * @return the client
     * @throws io.rdma.engine.UnreliableConnectionException if the connection is unreliable
     */
    public static RdmaCallClient create(RdmaConnection connection, int maxInFlight) {
        RdmaCallClient client = new RdmaCallClient(connection, maxInFlight);
        client.receiving.update(connection
                .receive(client::received)
                .subscribe(
                        done -> {},
                        error -> client.end(
                                error instanceof RuntimeException known
                                        ? known
                                        : new IllegalStateException("calls cannot be received", error)),
                        () -> client.end(new ConnectionClosedException(
                                "the peer has closed the connection: connect again", null, true))));
        return client;
    }

    /**
     * Calls a handler of the peer. Nothing happens before the subscription; each subscription is a call of its own.
     *
     * <p><b>Completes</b> with the answer, on the completion loop or on the thread of the deadline. <b>Errors</b> with
     * {@link io.rdma.call.RdmaCallException} if the call failed, while the connection and other calls go on; with
     * {@link ConnectionClosedException} if the connection ends before the answer; with
     * {@link IllegalArgumentException} if the request is longer than {@link RdmaConnection#maxMessageSize}; with an
     * exception of the codec. <b>Cancel</b> is told to the server, which cancels its handler. The call counts as one in
     * flight until the server confirms that.
     *
     * @param <Q> type of the requests
     * @param <A> type of the answers
     * @param name name of the handler, 1 to 255 bytes in UTF-8
     * @param request must not change until completion
     * @param requests codec of the request
     * @param answers codec of the answer; decodes on the completion loop
     * @param deadline time for the whole call, more than zero; the server gets it, too. One that is longer than 24 days
     *     is shortened to that
     * @return the answer
     */
    public <Q, A> Mono<A> call(
            String name, Q request, MessageCodec<Q> requests, MessageCodec<A> answers, Duration deadline) {
        Objects.requireNonNull(request, "request");
        CallFrame.checkedName(name);
        if (deadline.isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("deadline is " + deadline + ": use more than zero");
        }
        Duration time = bounded(deadline);
        Mono<A> answer = Mono.create(sink -> {
            long begun = System.nanoTime();
            OutgoingCall<A> call = new OutgoingCall<>(
                    connection,
                    table,
                    name,
                    id -> CallMessages.send(
                            connection, CallFrame.request(id, left(time, begun), name), request, requests),
                    answers,
                    sink);
            sink.onCancel(() -> {
                if (!table.withdraw(call)) {
                    call.abandon();
                }
            });
            table.submit(call);
        });
        return answer.timeout(time, Mono.error(() -> CallErrors.deadlineExceeded(name)));
    }

    /** Returns a time that is not too long for clocks. */
    static Duration bounded(Duration time) {
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    private static int left(Duration deadline, long begun) {
        long left = deadline.minusNanos(System.nanoTime() - begun).toMillis();
        return Math.clamp(left, 1, Integer.MAX_VALUE);
    }

    /** Never throws, so that it never ends the receiver. */
    private boolean received(ReceivedMessage message) {
        CallFrame frame = CallFrame.read(message.segment());
        OutgoingCall<?> call = table.answered(frame.id());
        if (call != null) {
            call.answered(frame, message);
        }
        return true;
    }

    private void end(RuntimeException failure) {
        table.end(failure);
    }

    /**
     * Ends the client: calls without an answer end with {@link IllegalStateException}, and the server cancels them. The
     * connection stays open.
     */
    @Override
    public void dispose() {
        receiving.dispose();
        end(new IllegalStateException("the client of calls is disposed: create another one"));
    }

    @Override
    public boolean isDisposed() {
        return receiving.isDisposed();
    }
}
