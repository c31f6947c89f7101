package io.rdma.samples;

import io.rdma.verbs.RdmaDevice;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** RDMA between two processes on this host: messages under back-pressure, writes, reads, atomics, from Java and from Kotlin. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Two processes move data over RDMA and verify every byte.")
final class Demo implements Callable<Integer> {
    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(names = "--scale", defaultValue = "1.0", description = "Factor for the number of operations.")
    private double scale;

    @Override
    public Integer call() throws IOException, InterruptedException {
        RdmaDevice chosen = device.device();
        System.out.println("device " + chosen.name() + ", server and client are two processes on this host");
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo-server",
                        "--device",
                        chosen.name())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            int port = port(server);
            DemoReport report = new DemoReport();
            DemoJava.run(chosen.name(), port, scale, report);
            DemoKotlinKt.demoKotlin(chosen.name(), port, scale, report);
            int status = report.finish();
            server.getOutputStream().close();
            if (!server.waitFor(10, TimeUnit.SECONDS) || server.exitValue() != 0) {
                System.out.println("the server process did not end well");
                return 1;
            }
            return status;
        } finally {
            server.destroyForcibly();
        }
    }

    private static int port(Process server) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the server process ended before it listened; its error is above");
        }
        return Integer.parseInt(line.strip());
    }

    static int scaled(int count, double scale) {
        return (int) Math.max(DemoProtocol.LANES, count * scale) / DemoProtocol.LANES * DemoProtocol.LANES;
    }
}
