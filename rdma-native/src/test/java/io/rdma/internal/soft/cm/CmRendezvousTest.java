package io.rdma.internal.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.environment.Environment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Place where services on loopback are found. It stays available, whatever its socket throws. */
@SuppressWarnings("try") // the close ends the loop
class CmRendezvousTest {
    private static final int FAILURES = 3;

    @Test
    void aServiceIsFoundAgainAfterItsSocketFailed() throws Exception {
        AtomicInteger accepts = new AtomicInteger();
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
            Thread serving = Thread.ofPlatform()
                    .start(() ->
                            CmRendezvous.serve(Environment.SYSTEM, socket, new byte[] {1, 2, 3}, (gid, number) -> {}));
            try (Socket asking = new Socket(socket.getInetAddress(), socket.getLocalPort())) {
                asking.setSoTimeout(60_000);
                assertThat(asking.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
            }
            assertThat(accepts.get()).isGreaterThan(FAILURES);
            socket.close();
            serving.join();
        }
    }
}
