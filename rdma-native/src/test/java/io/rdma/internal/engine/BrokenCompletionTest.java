package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.engine.ConnectionClosedException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Completions that the engine cannot handle, such as one with a status that a later libibverbs adds, and polls that
 * throw. Nobody waits for what is lost: the connection ends, and others go on.
 */
class BrokenCompletionTest extends FaultyConnectedContract {
    private static final int UNKNOWN = 99; // the statuses of verbs.h end at 23

    private void assertBothEnd() {
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(server.closed()).succeedsWithin(PATIENCE);
    }

    @Test
    void aSendWhoseCompletionCannotBeHandledFailsWithItsConnection() {
        connect(small());
        faults.nextSendStatus.set(UNKNOWN);
        Counted sent = submit(client, WorkRequest.send(acquire(client).limit(8), true));
        assertThat(sent.ended().error).isInstanceOf(ConnectionClosedException.class);
        assertThat(sent.ends).hasValue(1);
        assertBothEnd();
        assertThat(client.failure()).hasMessageContaining(Integer.toString(UNKNOWN));
    }

    /** Holds the loop until two requests are posted. So the completion of the second one is behind the lost one. */
    @Test
    void aCompletionBehindALostOneIsNoSuccessOfTheRequestBeforeIt() {
        connect(small());
        faults.nextSendStatus.set(UNKNOWN);
        CompletableFuture<Void> posted = new CompletableFuture<>();
        client.loop().execute(posted::join);
        Counted first = submit(client, WorkRequest.send(acquire(client).limit(8), true));
        Counted second = submit(client, WorkRequest.send(acquire(client).limit(8), true));
        posted.complete(null);
        second.ended();
        assertThat(first.ended().error).isInstanceOf(ConnectionClosedException.class);
        assertBothEnd();
    }

    @Test
    void aReceiveWhoseCompletionCannotBeHandledEndsItsConnection() {
        connect(small());
        faults.nextReceiveStatus.set(UNKNOWN);
        submit(client, WorkRequest.send(acquire(client).limit(8), true)).ended();
        assertBothEnd();
        assertThat(server.failure()).hasMessageContaining(Integer.toString(UNKNOWN));
    }

    @Test
    void aLostReceiveOfSharedBuffersEndsItsConnectionAlone() {
        resources.close();
        resources = new DeviceResources(faults.device(), resourceOptions().withSharedReceiveBuffers(16, 256));
        connect(small());
        Endpoint otherClient = client;
        Endpoint otherServer = server;
        connect(small());
        faults.nextReceiveStatus.set(UNKNOWN);
        submit(client, WorkRequest.send(acquire(client).limit(8), true)).ended();
        assertBothEnd();
        exchange(otherClient, otherServer);
        otherClient.close();
        assertThat(otherClient.closed()).succeedsWithin(PATIENCE);
        assertThat(otherServer.closed()).succeedsWithin(PATIENCE);
        reopen(resourceOptions()); // the next check expects loops without entries of a shared receive queue
    }

    /** Reports a loss on the loop, which polls before it handles the loss. */
    @Test
    void aPollThatThrowsKeepsNoConnectionFromItsEnd() {
        connect(small());
        client.loop().execute(() -> {
            faults.nextPollThrows.set(new IllegalStateException("injected"));
            client.peerClosed();
        });
        assertBothEnd();
        assertThat(client.loop().failure()).hasMessage("injected");
    }
}
