package io.rdma.samples;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong} and {@code ibv_ud_pingpong} on the typed verbs objects: speaks their
 * handshake, so that either end can be that program. One command for each transport; this has what they share.
 */
abstract class PingPong {
    private final PingPongTransport transport;

    private PingPong(PingPongTransport transport) {
        this.transport = transport;
    }

    /** Over a reliable connection. */
    @Command(
            name = "pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_rc_pingpong; give both ends the same options.")
    static final class Reliable extends PingPong {
        private Reliable() {
            super(PingPongTransport.RC);
        }
    }

    /** Over an unreliable connection: a message that is lost ends the game. */
    @Command(
            name = "uc-pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_uc_pingpong: what is lost, is lost.")
    static final class Unreliable extends PingPong {
        private Unreliable() {
            super(PingPongTransport.UC);
        }
    }

    /** With datagrams: a message that is lost ends the game. */
    @Command(
            name = "ud-pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_ud_pingpong: what is lost, is lost.")
    static final class Datagram extends PingPong {
        private Datagram() {
            super(PingPongTransport.UD);
        }
    }

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Wait for a client.")
    int server(@Mixin DeviceOption device, @Mixin PingPongOptions options) throws IOException {
        return new PingPongRun(device, options, transport).serve();
    }

    @Command(name = "client", mixinStandardHelpOptions = true, description = "Connect to a server.")
    int client(
            @Mixin DeviceOption device,
            @Mixin PingPongOptions options,
            @Parameters(paramLabel = "HOST", defaultValue = "localhost") String host)
            throws IOException {
        return new PingPongRun(device, options, transport).connect(host);
    }
}
