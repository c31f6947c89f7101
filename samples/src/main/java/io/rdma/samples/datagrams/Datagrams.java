package io.rdma.samples.datagrams;

import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.Language;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A service that answers datagrams. {@link DatagramsJava} and {@code DatagramsKotlin} implement it. */
@Command(
        name = "datagrams",
        mixinStandardHelpOptions = true,
        description = "Datagrams to a service and back, repeated until they are answered.")
public final class Datagrams {
    private Datagrams() {}

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Send datagrams back until terminated.")
    int server(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "localhost", description = "Address of the device.") String host,
            @Option(names = "--port", defaultValue = "7472") int port,
            @Option(names = "--language", defaultValue = "java") Language language) {
        String name = device.device().name();
        if (language == Language.java) {
            DatagramsJava.server(name, host, port);
        } else {
            DatagramsKotlinKt.datagramsServer(name, host, port);
        }
        return 0;
    }

    @Command(
            name = "client",
            mixinStandardHelpOptions = true,
            description = "Send datagrams, and repeat each until its answer arrives.")
    int client(
            @Mixin DeviceOption device,
            @Option(names = "--local", defaultValue = "localhost", description = "Address of the device.") String local,
            @Option(names = "--host", defaultValue = "localhost") String host,
            @Option(names = "--port", defaultValue = "7472") int port,
            @Option(names = "--count", defaultValue = "1000") int count,
            @Option(names = "--language", defaultValue = "java") Language language) {
        String name = device.device().name();
        int answered = language == Language.java
                ? DatagramsJava.client(name, local, host, port, count)
                : DatagramsKotlinKt.datagramsClient(name, local, host, port, count);
        System.out.println(answered + " of " + count + " datagrams were answered");
        return answered == count ? 0 : 1;
    }
}
