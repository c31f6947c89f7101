package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.environment.Environment;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExchangeDeadlineTest {
    private static ExchangeDeadline deadline(Socket socket, Duration timeout) {
        return new ExchangeDeadline(Environment.SYSTEM, socket, timeout);
    }

    /** The time-out of a socket has milliseconds, rounded down, so it ends shortly before the deadline. */
    @Test
    void socketThatTimesOutBeforeTheDeadlineNamesTheDeadline() throws IOException {
        Duration timeout = Duration.ofHours(1);
        try (Socket socket = new Socket();
                ExchangeDeadline deadline = deadline(socket, timeout)) {
            assertThat(deadline.meaning(new SocketTimeoutException("Read timed out")))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("handshakeTimeout of " + timeout);
        }
    }

    @Test
    void otherFailureBeforeTheDeadlineStaysAsItIs() throws IOException {
        try (Socket socket = new Socket();
                ExchangeDeadline deadline = deadline(socket, Duration.ofHours(1))) {
            IOException reset = new IOException("Connection reset");
            assertThat(deadline.meaning(reset)).isSameAs(reset);
        }
    }

    @Test
    void anyFailureBehindTheDeadlineIsATimeOut() throws IOException {
        try (Socket socket = new Socket();
                ExchangeDeadline deadline = deadline(socket, Duration.ZERO)) {
            assertThat(deadline.meaning(new IOException("Socket closed"))).isInstanceOf(SocketTimeoutException.class);
        }
    }
}
