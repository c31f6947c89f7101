package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.testing.CapturedLog;
import io.rdma.types.WorkRequestOpcode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Large messages whose memory the device refuses to deregister, on threads that have no caller. */
class RefusedDeregistrationTest extends FaultyConnectedContract {
    private void refuse() {
        faults.nextThrows.put("deregMr", new InternalError("a test's"));
    }

    @Test
    void aRefusalForOneBufferGivesTheOthersBack() {
        connect(small());
        RegisteredBuffer header = client.memory().allocateBuffer(8);
        RegisteredBuffer body = client.memory().allocateBuffer(8);
        WorkRequest request =
                WorkRequest.several(WorkRequestOpcode.SEND, List.of(header, body), null, client.options());
        for (int i = 0; i < server.options().receiveBuffers(); i++) {
            submit(client, request).ended();
        }
        Counted waiting = submit(client, request);
        header.close();
        refuse();
        assertThatThrownBy(waiting::abandon).isInstanceOf(InternalError.class);
        assertThat(body.segment().isReadOnly()).isFalse();
        body.close();
        for (int i = 0; i < server.options().receiveBuffers(); i++) {
            next(server.receives()::poll).close();
        }
        exchange(client, server);
    }

    @Test
    void aRefusalIsLoggedAndTheMessageEnds() {
        connect(small().withMaxMessageSize(1 << 16));
        try (RegisteredBuffer large = client.memory().allocateBuffer(1 << 16);
                CapturedLog ofSender = new CapturedLog(Exposure.class.getName());
                CapturedLog ofReceiver = new CapturedLog(Fetch.class.getName())) {
            refuse(); // the sender's: it deregisters first, when the message is read
            Counted sent = submit(client, WorkRequest.send(large, false));
            ReceivedMessage message = next(server.receives()::poll);
            assertThat(sent.ended().error).isNull();
            await().atMost(PATIENCE).until(() -> ofSender.has("SEVERE", "large message"));
            refuse();
            message.close();
            await().atMost(PATIENCE).until(() -> ofReceiver.has("SEVERE", "not deregistered"));
        }
    }
}
