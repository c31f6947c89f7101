package io.rdma.samples;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ibv_rc_pingpong} on the typed verbs objects: speaks its handshake, so that either end can be that program. */
@Command(
        name = "pingpong",
        mixinStandardHelpOptions = true,
        description = "Ping-pong that talks to rdma-core's ibv_rc_pingpong; give both ends the same options.")
final class PingPong {
    private PingPong() {}

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Wait for a client.")
    int server(@Mixin DeviceOption device, @Mixin PingPongOptions options) throws IOException {
        return new PingPongRun(device, options).serve();
    }

    @Command(name = "client", mixinStandardHelpOptions = true, description = "Connect to a server.")
    int client(
            @Mixin DeviceOption device,
            @Mixin PingPongOptions options,
            @Parameters(paramLabel = "HOST", defaultValue = "localhost") String host)
            throws IOException {
        return new PingPongRun(device, options).connect(host);
    }
}
