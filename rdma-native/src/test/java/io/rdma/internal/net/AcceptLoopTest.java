package io.rdma.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import io.rdma.environment.WithoutThreads;
import io.rdma.internal.log.LimitedLog;
import io.rdma.testing.BrokenLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Loop that accepts: what it does about failures, and when its port is free. */
@SuppressWarnings("try") // the close ends the loop
class AcceptLoopTest {
    private static final int FAILURES = 4;

    // one for each test: it logs one failure a second
    private final LimitedLog log = new LimitedLog(AcceptLoopTest.class);

    @Test
    void aFailureIsWaitedOutAndTheNextClientIsServed() throws Exception {
        AtomicInteger accepts = new AtomicInteger();
        CompletableFuture<Socket> served = new CompletableFuture<>();
        long start = System.nanoTime();
        try (ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress()) {
            @Override
            public Socket accept() throws IOException {
                if (accepts.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("a test's");
                } else if (accepts.get() <= FAILURES) {
                    throw new SocketException("Too many open files");
                }
                return super.accept();
            }
        }) {
            AcceptLoop loop = started(socket, served::complete);
            try (Socket client = new Socket(socket.getInetAddress(), socket.getLocalPort());
                    Socket accepted = served.get(60, TimeUnit.SECONDS)) {
                assertThat(accepted.getPort()).isEqualTo(client.getLocalPort());
            }
            assertThat(System.nanoTime() - start)
                    .as("each failure was waited out")
                    .isGreaterThanOrEqualTo(FAILURES * AcceptLoop.BACK_OFF_NANOS);
            loop.stop();
            loop.awaitEnd();
        }
    }

    @Test
    void aHandlerThatThrowsDoesNotStopTheLoop() throws Exception {
        AtomicInteger clients = new AtomicInteger();
        CompletableFuture<Socket> served = new CompletableFuture<>();
        try (ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            AcceptLoop loop = started(socket, accepted -> {
                if (clients.incrementAndGet() == 1) {
                    accepted.close();
                    throw new OutOfMemoryError("unable to create a thread: a test's");
                }
                served.complete(accepted);
            });
            try (Socket first = new Socket(socket.getInetAddress(), socket.getLocalPort());
                    Socket second = new Socket(socket.getInetAddress(), socket.getLocalPort());
                    Socket accepted = served.get(60, TimeUnit.SECONDS)) {
                assertThat(first.getLocalPort()).isNotEqualTo(second.getLocalPort());
                assertThat(accepted.isConnected()).isTrue();
            }
            loop.stop();
            loop.awaitEnd();
        }
    }

    @Test
    void aLogThatThrowsDoesNotStopTheLoop() throws Exception {
        try (BrokenLog broken = new BrokenLog(AcceptLoopTest.class)) {
            aHandlerThatThrowsDoesNotStopTheLoop();
        }
    }

    /** The kernel keeps the port while a thread is in accept(2), even after another thread has closed the socket. */
    @Test
    void theLoopEndsOnlyWhenItsThreadHasLeftTheSocket() throws Exception {
        CompletableFuture<Void> entered = new CompletableFuture<>();
        CompletableFuture<Void> leaving = new CompletableFuture<>();
        CompletableFuture<Void> mayLeave = new CompletableFuture<>();
        ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress()) {
            @Override
            public Socket accept() throws IOException {
                entered.complete(null);
                try {
                    return super.accept();
                } finally {
                    leaving.complete(null);
                    mayLeave.join();
                }
            }
        };
        AcceptLoop loop = started(socket, accepted -> {});
        entered.get(60, TimeUnit.SECONDS);
        loop.stop();
        leaving.get(60, TimeUnit.SECONDS);
        Thread waiting = Thread.ofPlatform().start(loop::awaitEnd);
        await().atMost(Duration.ofSeconds(60)).until(() -> waiting.getState() == Thread.State.WAITING);
        mayLeave.complete(null);
        waiting.join();
        InetSocketAddress same = new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        try (ServerSocket next = new ServerSocket()) {
            next.bind(same);
        }
    }

    @Test
    void aLoopWithoutAThreadFreesThePort() throws Exception {
        ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        AcceptLoop loop = new AcceptLoop(socket, log, "a test's", accepted -> {});
        assertThatThrownBy(() -> loop.start(new WithoutThreads(), "a test's")).isInstanceOf(OutOfMemoryError.class);
        loop.awaitEnd();
        assertThat(socket.isClosed()).isTrue();
    }

    private AcceptLoop started(ServerSocket socket, AcceptLoop.Begin begin) {
        AcceptLoop loop = new AcceptLoop(socket, log, "a test's", begin);
        loop.start(Environment.SYSTEM, "accepting");
        return loop;
    }
}
