package io.rdma.testing;

import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.Endpoint;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The next message that arrives, within a bound. */
public final class NextMessage {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private NextMessage() {}

    /** Waits for the next message of an endpoint. */
    public static ReceivedMessage at(Endpoint receiver) {
        return of(receiver.receives()::poll);
    }

    /** Waits for the next message, with a poll interval much shorter than the default tenth of a second. */
    public static ReceivedMessage of(Supplier<@Nullable ReceivedMessage> take) {
        ReceivedMessage[] message = new ReceivedMessage[1];
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofNanos(100_000))
                .atMost(PATIENCE)
                .until(() -> (message[0] = take.get()) != null);
        return message[0];
    }
}
