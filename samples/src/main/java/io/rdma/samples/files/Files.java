package io.rdma.samples.files;

import io.rdma.samples.support.DeviceOption;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A file that clients read out of the server's memory. {@link FileServer} and {@link FileClient} implement it. */
@Command(name = "files", mixinStandardHelpOptions = true, description = "A mapped file, read by RDMA READ.")
public final class Files {
    private Files() {}

    @Command(name = "server", mixinStandardHelpOptions = true, description = "Serve a file until terminated.")
    int server(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "0.0.0.0") String host,
            @Option(names = "--port", defaultValue = "7473") int port,
            @Parameters(description = "The file. It is not to be changed meanwhile.") Path file)
            throws IOException {
        FileServer.run(device.device(), host, port, file);
        return 0;
    }

    @Command(name = "client", mixinStandardHelpOptions = true, description = "Copy the file of a server.")
    int client(
            @Mixin DeviceOption device,
            @Option(names = "--host", defaultValue = "localhost") String host,
            @Option(names = "--port", defaultValue = "7473") int port,
            @Parameters(description = "The copy.") Path copy)
            throws IOException {
        long bytes = FileClient.run(device.device(), host, port, copy);
        System.out.println("copied " + bytes + " bytes");
        return 0;
    }
}
