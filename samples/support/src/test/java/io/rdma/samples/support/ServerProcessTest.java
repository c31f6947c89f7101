package io.rdma.samples.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers in processes of their own: their ports, and their end. */
@Timeout(300)
class ServerProcessTest {
    private static final String READY = "listening on port ";

    /** A program that prints a port and then waits in one of two ways. */
    static final class Server {
        private Server() {}

        public static void main(String[] arguments) throws Exception {
            System.out.println("starting");
            if (arguments.length == 0) {
                return;
            }
            if (arguments[0].equals("tied")) {
                ParentProcess.endWithIt();
            }
            System.out.println(READY + 7471);
            if (arguments[0].equals("tied")) {
                Thread.currentThread().join();
            }
            ParentProcess.awaitEnd();
            System.exit(3);
        }
    }

    private static ServerProcess start(String... arguments) throws IOException {
        return new ServerProcess(ChildJvm.of(ChildJvm.SMALL, Server.class, List.of(arguments)));
    }

    @Test
    void aServerEndsWithTheStandardInputThatItsParentHolds() throws IOException {
        try (ServerProcess server = start("tied")) {
            assertThat(server.port(READY)).isEqualTo(7471);
            assertThat(server.handle().isAlive()).isTrue();
            assertThat(server.end()).isZero();
        }
    }

    @Test
    void aServerMayDoSomethingBeforeItEnds() throws IOException {
        try (ServerProcess server = start("waiting")) {
            assertThat(server.port(READY)).isEqualTo(7471);
            assertThat(server.end()).isEqualTo(3);
        }
    }

    @Test
    void aServerThatEndsBeforeItListensHasNoPort() throws IOException {
        try (ServerProcess server = start()) {
            assertThatThrownBy(() -> server.port(READY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the server has ended");
        }
    }
}
