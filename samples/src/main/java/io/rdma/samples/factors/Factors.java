package io.rdma.samples.factors;

import io.rdma.samples.support.DeviceOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A service with coroutines, and its clients. {@code Commands} implements the commands. */
@Command(
        name = "factors",
        mixinStandardHelpOptions = true,
        description = "A request/response service with coroutines: prime factors, with deadlines.")
public final class Factors {
    private Factors() {}

    @Command(
            name = "server",
            mixinStandardHelpOptions = true,
            description = "Answer until terminated; accepted requests are answered first.")
    int server(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "0.0.0.0") String host,
            @Option(names = "--port", defaultValue = "7471") int port) {
        CommandsKt.factorServer(device.device().name(), host, port);
        return 0;
    }

    @Command(name = "client", mixinStandardHelpOptions = true, description = "Run clients with concurrent requests.")
    int client(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "localhost") String host,
            @Option(names = "--port", defaultValue = "7471") int port,
            @Option(names = "--clients", defaultValue = "20") int clients,
            @Option(names = "--requests", defaultValue = "100") int requests) {
        int right = CommandsKt.factorClients(device.device().name(), host, port, clients, requests);
        System.out.println(right + " of " + clients * requests + " answers are right");
        return right == clients * requests ? 0 : 1;
    }
}
