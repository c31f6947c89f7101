package io.rdma.samples;

import io.rdma.verbs.RdmaDevice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A demonstration of RDMA between processes on this host: messages under back-pressure, writes, reads and atomics, from
 * Java to a Kotlin server and from Kotlin to a Java server.
 */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Processes move data over RDMA and verify every byte.")
final class Demo implements Callable<Integer> {
    private static final int START_SECONDS = 240;
    private static final int END_SECONDS = 120;
    private static final int MAX_PORT_DIGITS = 5;

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(names = "--scale", defaultValue = "1.0", description = "Factor for the number of operations.")
    private double scale;

    @Override
    public Integer call() throws IOException, InterruptedException {
        RdmaDevice chosen = device.device();
        System.out.println("device " + chosen.name() + ", server and client are processes of their own on this host");
        Process kotlinServer = server(chosen, Language.kotlin);
        Process javaServer = server(chosen, Language.java);
        try {
            DemoReport report = new DemoReport();
            DemoJava.run(chosen.name(), port(kotlinServer), scale, report);
            DemoKotlinKt.demoKotlin(chosen.name(), port(javaServer), scale, report);
            int status = report.finish();
            for (Process server : List.of(kotlinServer, javaServer)) {
                server.getOutputStream().close();
                if (!server.waitFor(END_SECONDS, TimeUnit.SECONDS) || server.exitValue() != 0) {
                    System.out.println("a server process failed, or did not end within " + END_SECONDS + " s");
                    status = 1;
                }
            }
            return status;
        } finally {
            kotlinServer.destroyForcibly();
            javaServer.destroyForcibly();
        }
    }

    private static Process server(RdmaDevice device, Language language) throws IOException {
        return ChildJvm.start(List.of("demo-server", "--device", device.name(), "--language", language.name()));
    }

    /** Returns the port that a server prints on its first line, which must arrive in time and be short. */
    private static int port(Process server) throws IOException, InterruptedException {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                byte[] digits = new byte[MAX_PORT_DIGITS];
                int length = 0;
                int next;
                while ((next = server.getInputStream().read()) >= '0' && next <= '9' && length < digits.length) {
                    digits[length++] = (byte) next;
                }
                line.complete(new String(digits, 0, length, StandardCharsets.US_ASCII));
            } catch (IOException e) {
                line.completeExceptionally(e);
            }
        });
        try {
            return Integer.parseInt(line.get(START_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException | NumberFormatException e) {
            throw new IOException("a server process did not listen within " + START_SECONDS + " s", e);
        }
    }

    static int scaled(int count, double scale) {
        return (int) Math.max(DemoProtocol.LANES, count * scale) / DemoProtocol.LANES * DemoProtocol.LANES;
    }
}
