package io.rdma.samples.pingpong;

import io.rdma.samples.support.DeviceOption;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong}, {@code ibv_ud_pingpong} and {@code ibv_srq_pingpong} on the typed
 * verbs objects. They use the handshake of the C programs, so that either end can be such a program. Each transport has
 * a command; this class has the shared part.
 */
public abstract class PingPong {
    private final PingPongTransport transport;

    private PingPong(PingPongTransport transport) {
        this.transport = transport;
    }

    /** Ping-pong over a reliable connection. */
    @Command(
            name = "pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_rc_pingpong; give both ends the same options.")
    public static final class Reliable extends PingPong {
        private Reliable() {
            super(PingPongTransport.RC);
        }
    }

    /** Ping-pong over an unreliable connection. A lost message ends the run. */
    @Command(
            name = "uc-pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_uc_pingpong; a lost message ends the run.")
    public static final class Unreliable extends PingPong {
        private Unreliable() {
            super(PingPongTransport.UC);
        }
    }

    /** Ping-pong with datagrams. A lost message ends the run. */
    @Command(
            name = "ud-pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_ud_pingpong; a lost message ends the run.")
    public static final class Datagram extends PingPong {
        private Datagram() {
            super(PingPongTransport.UD);
        }
    }

    /** Ping-pong over several reliable connections that share their receives. */
    @Command(
            name = "srq-pingpong",
            mixinStandardHelpOptions = true,
            description = "Ping-pong that talks to rdma-core's ibv_srq_pingpong: several queue pairs, shared receives.")
    public static final class Shared extends PingPong {
        private Shared() {
            super(PingPongTransport.SRQ);
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
