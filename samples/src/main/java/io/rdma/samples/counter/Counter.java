package io.rdma.samples.counter;

import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.Language;
import io.rdma.verbs.RdmaDevice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A ticket counter in the server's memory, shared by all clients. {@link CounterJava} and {@code CounterKotlin}
 * implement it.
 */
@Command(name = "counter", mixinStandardHelpOptions = true, description = "Tickets by fetch-and-add on remote memory.")
public final class Counter {
    private Counter() {}

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Serve a counter until terminated.")
    int server(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "0.0.0.0") String host,
            @Option(names = "--port", defaultValue = "7472") int port,
            @Option(names = "--language", defaultValue = "java") Language language) {
        RdmaDevice chosen = device.device();
        if (language == Language.java) {
            CounterJava.server(chosen, host, port);
        } else {
            CounterKotlinKt.counterServer(chosen, host, port);
        }
        return 0;
    }

    @Command(name = "client", mixinStandardHelpOptions = true, description = "Draw tickets.")
    int client(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "localhost") String host,
            @Option(names = "--port", defaultValue = "7472") int port,
            @Option(names = "--count", defaultValue = "1000") int count,
            @Option(names = "--language", defaultValue = "java") Language language) {
        RdmaDevice chosen = device.device();
        long last = language == Language.java
                ? CounterJava.client(chosen, host, port, count)
                : CounterKotlinKt.counterClient(chosen, host, port, count);
        System.out.println("drew " + count + " tickets, the last one is " + last);
        return 0;
    }
}
