package io.rdma.netty.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Answers of a call, for a test to wait for. */
final class AnswersRecorder implements StreamObserver<byte[]> {
    private static final byte[] END = {};

    private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
    private final CompletableFuture<Status> end = new CompletableFuture<>();

    @Override
    public void onNext(byte[] answer) {
        answers.add(answer);
    }

    @Override
    public void onError(Throwable error) {
        ended(Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
        ended(Status.OK);
    }

    private void ended(Status status) {
        end.complete(status);
        answers.add(END); // a test that awaits an answer need not wait longer
    }

    /** Awaits the next answer. */
    byte[] next() throws InterruptedException {
        byte[] answer = answers.poll(60, TimeUnit.SECONDS);
        assertThat(answer)
                .as(() -> "an answer of a call that has ended with " + end.getNow(Status.OK))
                .isNotNull()
                .isNotSameAs(END);
        return answer;
    }

    /** Asserts that there are no more answers. */
    void assertNoMore() {
        assertThat(answers).allMatch(answer -> answer == END);
    }

    /** Awaits the end of the call. */
    Status end() throws Exception {
        return end.get(60, TimeUnit.SECONDS);
    }
}
