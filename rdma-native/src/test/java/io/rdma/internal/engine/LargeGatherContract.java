package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Large messages of several buffers: copied into one on no thread of a caller, and given back however they end. */
abstract class LargeGatherContract extends HeldRegistrations {
    private static final int HEADER = 57;

    private RegisteredBuffer header;
    private RegisteredBuffer body;

    private void connectWithBuffers() {
        connectWithBudget();
        int most = client.options().maxBuffers(WorkRequestOpcode.SEND);
        assumeThat(most).as("buffers of a message").isGreaterThanOrEqualTo(2);
        header = leased(HEADER);
        body = leased(LARGE - HEADER);
        header.segment().fill((byte) 1);
        body.segment().fill((byte) 2);
    }

    private WorkRequest message(RegisteredBuffer... buffers) {
        return WorkRequest.several(WorkRequestOpcode.SEND, List.of(buffers), null, client.options());
    }

    private void assertArrives() {
        try (ReceivedMessage message = next(server.receives()::poll)) {
            assertThat(message.length()).isEqualTo(LARGE);
            for (int at : new int[] {0, HEADER - 1, HEADER, LARGE - 1}) {
                assertThat(message.segment().get(ValueLayout.JAVA_BYTE, at))
                        .as("byte " + at)
                        .isEqualTo((byte) (at < HEADER ? 1 : 2));
            }
        }
    }

    private void assertBorrowed(boolean borrowed) {
        assertThat(header.segment().isReadOnly()).as("header").isEqualTo(borrowed);
        assertThat(body.segment().isReadOnly()).as("body").isEqualTo(borrowed);
    }

    private void awaitGivenBack(long registeredBefore) {
        await().atMost(PATIENCE).untilAsserted(() -> assertBorrowed(false));
        await().atMost(PATIENCE).until(() -> registered() == registeredBefore);
        header.close();
        body.close();
    }

    @Test
    void theLoopThatSubmitsItGoesOnAndTheLimitsOfTheSubmitCount() throws InterruptedException {
        connectWithBuffers();
        long before = registered();
        holdRegistrations();
        CompletableFuture<Counted> onLoop = new CompletableFuture<>();
        client.loop().execute(() -> onLoop.complete(submit(client, message(header, body))));
        Counted large = onLoop.join();
        exchange(server, client);
        assertThat(registered()).as("nothing is copied yet").isEqualTo(before);
        assertThat(large.isWaiting()).isTrue();
        assertBorrowed(true);
        body.limit(3);
        registrationsGoOn.countDown();
        assertArrives();
        assertThat(large.ended().error).isNull();
        awaitGivenBack(before);
    }

    @Test
    void aMessageThatAListenerSubmitsArrives() {
        connectWithBuffers();
        long before = registered();
        Counted second = new Counted(message(header, body));
        Counted first = new Counted(message(header, body)) {
            @Override
            protected void completed(long result) {
                client.submit(second);
                super.completed(result);
            }
        };
        client.submit(first);
        assertArrives();
        assertThat(first.ended().error).isNull();
        assertArrives();
        assertThat(second.ended().error).isNull();
        awaitGivenBack(before);
    }

    @Test
    void aCancelMeanwhileGivesAllBuffersBackAndLetsOthersPass() throws InterruptedException {
        connectWithBuffers();
        long before = registered();
        holdRegistrations();
        Counted large = submit(client, message(header, body));
        Counted small = sendSmall(client, 8);
        assertThat(large.abandon()).isTrue();
        assertNext(server, 8);
        assertThat(small.ended().error).isNull();
        registrationsGoOn.countDown();
        awaitGivenBack(before);
        exchange(client, server);
        assertThat(large.ends).hasValue(0);
    }

    @Test
    void aCancelOfAnAnnouncedMessageGivesAllBuffersBack() {
        connectWithBuffers();
        long before = registered();
        Counted large = submit(client, message(header, body));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 1);
        assertThat(large.abandon()).isTrue();
        assertArrives();
        awaitGivenBack(before);
        assertThat(large.ends).hasValue(0);
    }

    @Test
    void aCloseMeanwhileEndsItAndGivesAllBuffersBack() throws InterruptedException {
        connectWithBuffers();
        holdRegistrations();
        Counted large = submit(client, message(header, body));
        client.close();
        assertThat(large.ended().error)
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        e -> assertThat(e.mayHaveExecuted()).isFalse());
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertBorrowed(false);
        registrationsGoOn.countDown();
        header.close();
        body.close();
        assertThat(large.ends).hasValue(1);
    }

    @Test
    void anArenaThatIsClosedMeanwhileEndsTheMessageAlone() throws InterruptedException {
        connectWithBuffers();
        Arena other = Arena.ofShared();
        RegisteredBuffer piece = client.memory().register(other.allocate(LARGE - HEADER, 4096));
        holdRegistrations();
        Counted large = submit(client, message(header, piece));
        Counted small = sendSmall(client, 8);
        other.close();
        registrationsGoOn.countDown();
        assertThat(large.ended().error)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("arena");
        assertNext(server, 8);
        assertThat(small.ended().error).isNull();
        piece.close();
        assertBorrowed(false);
        header.close();
        body.close();
    }
}
