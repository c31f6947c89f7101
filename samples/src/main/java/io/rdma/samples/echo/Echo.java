package io.rdma.samples.echo;

import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.Language;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** An echo server and its client. {@link EchoJava} and {@code EchoKotlin} implement them. */
@Command(name = "echo", mixinStandardHelpOptions = true, description = "Messages to a server and back.")
public final class Echo {
    private Echo() {}

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Send messages back until terminated.")
    int server(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "0.0.0.0") String host,
            @Option(names = "--port", defaultValue = "7471") int port,
            @Option(names = "--language", defaultValue = "java") Language language) {
        String name = device.device().name();
        if (language == Language.java) {
            EchoJava.server(name, host, port);
        } else {
            EchoKotlinKt.echoServer(name, host, port);
        }
        return 0;
    }

    @Command(
            name = "client",
            mixinStandardHelpOptions = true,
            description = "Send messages and compare the answers with them.")
    int client(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "localhost") String host,
            @Option(names = "--port", defaultValue = "7471") int port,
            @Option(names = "--count", defaultValue = "1000") int count,
            @Option(names = "--language", defaultValue = "java") Language language) {
        String name = device.device().name();
        int same = language == Language.java
                ? EchoJava.client(name, host, port, count)
                : EchoKotlinKt.echoClient(name, host, port, count);
        System.out.println(same + " of " + count + " messages came back unchanged");
        return same == count ? 0 : 1;
    }
}
