package io.rdma.reactive.call;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.call.CallErrors;
import io.rdma.internal.call.CallFrame;
import io.rdma.internal.call.CallTable;
import io.rdma.reactive.MessageCodec;
import io.rdma.reactive.RdmaConnection;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

// Invariants
// - `sent` completes with the number of the call when the peer's device has the request, or fails if it never will.
// - A cancellation is sent behind the request, and only if no answer has come.

/**
 * One call of a client.
 *
 * @param <A> type of the answer
 */
final class OutgoingCall<A> implements CallTable.Call {
    private final RdmaConnection connection;
    private final CallTable<OutgoingCall<?>> table;
    private final String name;
    private final IntFunction<Mono<Void>> request;
    private final MessageCodec<A> answers;
    private final MonoSink<A> caller;
    private final CompletableFuture<Integer> sent = new CompletableFuture<>();
    private volatile boolean answered;
    private volatile boolean abandoned;

    OutgoingCall(
            RdmaConnection connection,
            CallTable<OutgoingCall<?>> table,
            String name,
            IntFunction<Mono<Void>> request,
            MessageCodec<A> answers,
            MonoSink<A> caller) {
        this.connection = connection;
        this.table = table;
        this.name = name;
        this.request = request;
        this.answers = answers;
        this.caller = caller;
    }

    @Override
    public void admitted(int id) {
        request.apply(id)
                .subscribe(
                        done -> {},
                        error -> {
                            // Such as a request that is too long: nothing was sent, so no answer comes.
                            table.answered(id);
                            sent.completeExceptionally(error);
                            fail(error);
                        },
                        () -> sent.complete(id));
    }

    @Override
    public void failed(RuntimeException failure) {
        fail(failure);
        abandon();
    }

    private void fail(Throwable failure) {
        if (!abandoned) { // else Reactor would log the error as dropped
            caller.error(failure);
        }
    }

    /** Ends the call with the message that arrived. Never throws. */
    void answered(CallFrame frame, ReceivedMessage message) {
        answered = true;
        if (frame.problem() != null) {
            fail(frame.problem());
        } else if (frame.kind() != CallFrame.Kind.ANSWER) {
            fail(frame.reported(name, CallMessages.decode(frame, message, MessageCodec.bytes())));
        } else {
            A answer;
            try {
                answer = CallMessages.decode(frame, message, answers);
            } catch (RuntimeException | StackOverflowError e) { // a value may be nested too deeply
                fail(CallErrors.undecodableAnswer(name, e));
                return;
            }
            caller.success(answer);
        }
    }

    /** Tells the server that the caller has gone, unless it has answered. */
    void abandon() {
        abandoned = true;
        if (!answered) {
            sent.thenAccept(id -> CallMessages.send(connection, CallFrame.cancel(id))
                    .subscribe(done -> {}, error -> {})); // fails only with the connection
        }
    }
}
