package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Listener that cannot accept for a while, for example because of EMFILE. It pauses between its attempts, and goes on
 * after them.
 */
@SuppressWarnings("try") // the close ends the loop
class AcceptLoopTest {
    private static final int FAILURES = 4;

    @Test
    void aFailureIsWaitedOutAndTheNextClientIsServed() throws Exception {
        AtomicInteger accepts = new AtomicInteger();
        CompletableFuture<Socket> served = new CompletableFuture<>();
        long start = System.nanoTime();
        try (ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress()) {
            @Override
            public Socket accept() throws IOException {
                if (accepts.incrementAndGet() <= FAILURES) {
                    throw new SocketException("Too many open files");
                }
                return super.accept();
            }
        }) {
            AcceptLoop loop = new AcceptLoop(socket, served::complete);
            Thread accepting = Thread.ofPlatform().start(loop::run);
            try (Socket client = new Socket(socket.getInetAddress(), socket.getLocalPort());
                    Socket accepted = served.get(60, TimeUnit.SECONDS)) {
                assertThat(accepted.getPort()).isEqualTo(client.getLocalPort());
            }
            assertThat(System.nanoTime() - start)
                    .as("each failure was waited out")
                    .isGreaterThanOrEqualTo(FAILURES * AcceptLoop.BACK_OFF_NANOS);
            socket.close();
            accepting.join();
        }
    }

    @Test
    void aHandlerThatThrowsDoesNotStopTheLoop() throws Exception {
        AtomicInteger clients = new AtomicInteger();
        CompletableFuture<Socket> served = new CompletableFuture<>();
        try (ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            AcceptLoop loop = new AcceptLoop(socket, accepted -> {
                if (clients.incrementAndGet() == 1) {
                    accepted.close();
                    throw new OutOfMemoryError("unable to create a thread: a test's");
                }
                served.complete(accepted);
            });
            Thread accepting = Thread.ofPlatform().start(loop::run);
            try (Socket first = new Socket(socket.getInetAddress(), socket.getLocalPort());
                    Socket second = new Socket(socket.getInetAddress(), socket.getLocalPort());
                    Socket accepted = served.get(60, TimeUnit.SECONDS)) {
                assertThat(first.getLocalPort()).isNotEqualTo(second.getLocalPort());
                assertThat(accepted.isConnected()).isTrue();
            }
            socket.close();
            accepting.join();
        }
    }
}
