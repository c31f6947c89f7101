package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.types.RegistrationLimitException;
import io.rdma.verbs.MemoryRegion;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registration of the memory of large messages: once, on no thread of a caller, and in the order of the messages. */
abstract class LargeRegistrationContract extends HeldRegistrations {
    @Test
    void memoryThatIsAllocatedForAMessageIsRegisteredOnce() throws InterruptedException {
        connectWithBudget();
        long before = registered();
        RegisteredBuffer buffer = client.memory().allocateBuffer(LARGE);
        assertThat(registered() - before).isEqualTo(LARGE);
        holdRegistrations();
        Counted sent = submit(client, WorkRequest.send(buffer, true));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 1); // announced
        assertThat(registered() - before).isEqualTo(LARGE);
        registrationsGoOn.countDown();
        assertNext(server, LARGE);
        assertThat(sent.ended().error).isNull();
        await().atMost(PATIENCE).until(() -> registered() == before);
    }

    /** The key of a buffer is exposed only if it reaches nothing but the message, and ends with it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKeyThatReachesMoreOrLastsLongerIsNotExposed(boolean more) {
        connectWithBudget();
        long before = registered();
        int length = more ? LARGE - 1 : LARGE;
        RegisteredBuffer buffer = client.memory().allocateBuffer(LARGE).limit(length);
        Counted sent = submit(client, WorkRequest.send(buffer, more));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 1);
        assertThat(registered() - before).as("a registration for the message").isEqualTo(LARGE + length);
        assertNext(server, length);
        assertThat(sent.ended().error).isNull();
        buffer.close();
        await().atMost(PATIENCE).until(() -> registered() == before);
    }

    @Test
    void aSubmitDoesNotWaitAndTheMessagesBehindKeepTheirOrder() throws InterruptedException {
        connectWithBudget();
        RegisteredBuffer buffer = leased(LARGE);
        MemoryRegion there = everything(server, 8);
        holdRegistrations();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        Counted small = sendSmall(client, 8);
        Counted second = submit(client, WorkRequest.send(buffer.limit(LARGE - 1), false));
        Counted write = submit(client, WorkRequest.write(acquire(client).limit(8), there.remote()));
        assertThat(write.ended().error).as("a one-sided operation passes").isNull();
        write.request().buffer().close();
        assertThat(large.isWaiting() && small.isWaiting() && second.isWaiting()).isTrue();
        assertThat(server.receives().outstanding()).isZero();
        assertThat(buffer.segment().isReadOnly()).as("the device may read it").isTrue();
        registrationsGoOn.countDown();
        assertNext(server, LARGE);
        assertNext(server, 8);
        assertNext(server, LARGE - 1);
        assertThat(large.ended().error).isNull();
        assertThat(small.ended().error).isNull();
        assertThat(second.ended().error).isNull();
        buffer.close();
    }

    @Test
    void aMessageThatTheLoopSubmitsWaitsAsWell() throws InterruptedException {
        connectWithBudget();
        RegisteredBuffer buffer = leased(LARGE);
        holdRegistrations();
        CompletableFuture<Counted> large = new CompletableFuture<>();
        client.loop().execute(() -> large.complete(submit(client, WorkRequest.send(buffer, true))));
        Counted submitted = large.join(); // the loop has returned from the submit
        exchange(server, client); // and goes on
        assertThat(submitted.isWaiting()).isTrue();
        registrationsGoOn.countDown();
        assertNext(server, LARGE);
        assertThat(submitted.ended().error).isNull();
    }

    @Test
    void aMessageThatIsCancelledMeanwhileGivesItsBufferBackAndLetsOthersPass() throws InterruptedException {
        connectWithBudget();
        RegisteredBuffer buffer = leased(LARGE);
        long before = registered();
        holdRegistrations();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        Counted small = sendSmall(client, 8);
        assertThat(large.abandon()).isTrue();
        assertNext(server, 8);
        assertThat(small.ended().error).isNull();
        await().atMost(PATIENCE).until(() -> !buffer.segment().isReadOnly());
        registrationsGoOn.countDown();
        exchange(client, server);
        assertThat(large.ends).hasValue(0);
        assertThat(registered()).isEqualTo(before);
        buffer.close();
    }

    @Test
    void aCloseMeanwhileEndsTheMessage() throws InterruptedException {
        connectWithBudget();
        RegisteredBuffer buffer = leased(LARGE);
        holdRegistrations();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        client.close();
        assertThat(large.ended().error)
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        e -> assertThat(e.mayHaveExecuted()).isFalse());
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(buffer.segment().isReadOnly()).isFalse();
        assertThat(large.ends).hasValue(1);
        buffer.close();
        registrationsGoOn.countDown();
    }

    @Test
    void aMessageBeyondTheBudgetEndsAloneAndMayBeSentAgain() {
        connectWithBudget();
        RegisteredBuffer buffer = leased(LARGE);
        MemoryRegion filler = client.memory().allocate(BUDGET - registered() - LARGE + 1, Set.of());
        Counted large = submit(client, WorkRequest.send(buffer, false));
        Counted small = sendSmall(client, 8);
        assertThat(large.ended().error)
                .isInstanceOf(RegistrationLimitException.class)
                .hasMessageContaining("maxRegisteredBytes");
        assertThat(buffer.segment().isReadOnly()).isFalse();
        assertNext(server, 8);
        assertThat(small.ended().error).isNull();
        filler.close();
        client.submit(large);
        assertNext(server, LARGE);
        await().atMost(PATIENCE).until(() -> large.ends.get() == 2);
        buffer.close();
    }

    @Test
    void noMessageOfAStreamFollowsOneThatWasRefused() throws InterruptedException {
        connectWithBudget();
        RegisteredBuffer buffer = client.memory().allocateBuffer(LARGE).limit(LARGE - 1);
        MemoryRegion filler = client.memory().allocate(BUDGET - registered() - LARGE + 2, Set.of());
        holdRegistrations();
        CompletableFuture<Void> failed = new CompletableFuture<>();
        MessageStream stream = new MessageStream(client) {
            @Override
            protected void sent(int messages) {}

            @Override
            protected void failed(RuntimeException error) {
                failed.completeExceptionally(error);
            }
        };
        stream.send(acquireExclusive(client).limit(1));
        stream.send(buffer);
        stream.send(acquireExclusive(client).limit(2));
        registrationsGoOn.countDown();
        assertThatThrownBy(failed::join).hasCauseInstanceOf(RegistrationLimitException.class);
        stream.abandonAll();
        Counted other = sendSmall(client, 3);
        assertNext(server, 1);
        assertNext(server, 3);
        assertThat(other.ended().error).isNull();
        filler.close();
    }

    @Test
    void noMemoryIsAllocatedForAMessageThatThePeerDoesNotTake() {
        connectWithBudget();
        long before = registered();
        assertThatThrownBy(() -> client.memory().allocateBuffer(LARGE + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
        assertThat(registered()).isEqualTo(before);
    }

    @Test
    void theMemoryOfAReceivedMessageIsRegisteredOffTheLoop() throws InterruptedException {
        connectWithBudget();
        RegisteredBuffer buffer = client.memory().allocateBuffer(LARGE);
        Counted sent = submit(client, WorkRequest.send(buffer, true));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 1);
        hold(server.loop().slowTasks().fetches());
        long before = registered();
        CompletableFuture<ReceivedMessage> polled = new CompletableFuture<>();
        server.loop().execute(() -> polled.complete(server.receives().poll()));
        assertThat(polled.join()).as("it is still to be read").isNull();
        exchange(server, client); // the loop goes on
        assertThat(registered()).isEqualTo(before);
        registrationsGoOn.countDown();
        assertNext(server, LARGE);
        assertThat(sent.ended().error).isNull();
    }

    @Test
    void messagesOfThePeerDoNotDelayThoseOfThisSide() throws InterruptedException {
        connectWithBudget();
        hold(client.loop().slowTasks().fetches());
        RegisteredBuffer buffer = leased(LARGE);
        Counted sent = submit(client, WorkRequest.send(buffer, false));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 1); // announced
        registrationsGoOn.countDown();
        assertNext(server, LARGE);
        assertThat(sent.ended().error).isNull();
        buffer.close();
    }

    @Test
    void aSubmitAfterTheCloseFailsAtOnce() {
        connectWithBudget();
        RegisteredBuffer buffer = leased(LARGE);
        client.close();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        assertThat(large.error).as("on the caller's thread").isInstanceOf(ConnectionClosedException.class);
        assertThat(buffer.segment().isReadOnly()).isFalse();
        buffer.close();
    }
}
