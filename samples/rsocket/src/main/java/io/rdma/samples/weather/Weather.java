package io.rdma.samples.weather;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Starts the service in a process of its own and the client here, and ends with the client. {@code server} and {@code client}, each with Spring's arguments, are one of them alone. */
final class Weather {
    /** What the server says, followed by its port. */
    static final String READY = "weather on port ";

    /** With this as first argument the server ends with its standard input, and so with who started it. */
    private static final String TIED = "tied-server";

    private Weather() {}

    public static void main(String[] args) throws IOException {
        String[] more = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        switch (args.length == 0 ? "" : args[0]) {
            case "server" -> WeatherServer.run(more);
            case "client" -> WeatherClient.run(more);
            case TIED -> {
                Thread.ofVirtual().start(Weather::endWithStandardInput);
                WeatherServer.run(more);
            }
            default -> both(args);
        }
    }

    private static void endWithStandardInput() {
        try (InputStream in = System.in) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // as good as its end
        }
        System.exit(0);
    }

    private static void both(String[] args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-classpath",
                System.getProperty("java.class.path"),
                Weather.class.getName(),
                TIED,
                "--rdma.rsocket.port=0"));
        command.addAll(List.of(args));
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = server.inputReader()) {
            String[] client = Arrays.copyOf(args, args.length + 1);
            client[args.length] = "--rdma.client.port=" + port(output);
            System.out.println("process " + server.pid() + " serves, process "
                    + ProcessHandle.current().pid() + " asks");
            WeatherClient.run(client);
        } finally {
            server.getOutputStream().close();
            server.onExit().join();
        }
        System.out.println("the server ended with status " + server.exitValue());
    }

    private static String port(BufferedReader output) throws IOException {
        String line;
        while ((line = output.readLine()) != null) {
            if (line.startsWith(READY)) {
                return line.substring(READY.length());
            }
        }
        throw new IOException("the server has ended: see above");
    }
}
