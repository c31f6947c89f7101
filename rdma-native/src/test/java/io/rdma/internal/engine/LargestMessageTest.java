package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Largest possible message. It needs 2 GiB of memory, so it is not in the usual run. */
@Tag("stress")
class LargestMessageTest extends ConnectedContract {
    private static final int GIBIBYTE = 1 << 30;

    @Override
    String device() {
        return "soft0";
    }

    @Test
    void aGibibyteArrivesWhole() {
        connect(small().withRnrRetry(0).withMaxMessageSize(GIBIBYTE));
        RegisteredBuffer buffer = client.memory().allocateBuffer(GIBIBYTE);
        for (long i = 0; i < GIBIBYTE / Long.BYTES; i += 509) { // in every page, at a different offset in each
            buffer.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i);
        }
        Counted sent = submit(client, WorkRequest.send(buffer, false));
        ReceivedMessage[] message = new ReceivedMessage[1];
        await().atMost(PATIENCE.multipliedBy(5))
                .until(() -> (message[0] = server.receives().poll()) != null);
        try (ReceivedMessage here = message[0]) {
            assertThat(here.length()).isEqualTo(GIBIBYTE);
            assertThat(here.segment().mismatch(buffer.segment())).isEqualTo(-1);
        }
        assertThat(sent.ended().error).isNull();
        buffer.close();
    }
}
