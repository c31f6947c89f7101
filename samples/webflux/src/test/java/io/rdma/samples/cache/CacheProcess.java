package io.rdma.samples.cache;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The service as its user starts it: one command, which makes two processes. */
final class CacheProcess implements AutoCloseable {
    /** A loaded machine takes its time to start two virtual machines and Spring. */
    private static final int SECONDS = 240;

    private static final String READY = "open ";

    private final Process process;
    private final StringBuffer output = new StringBuffer();
    private final CompletableFuture<String> address = new CompletableFuture<>();

    CacheProcess(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                RemoteCache.class.getName(),
                "--server.port=0"));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread.ofVirtual().start(() -> {
            process.inputReader().lines().forEach(line -> {
                output.append(line).append('\n');
                if (line.startsWith(READY)) {
                    address.complete(line.substring(READY.length()));
                }
            });
            address.completeExceptionally(new AssertionError("it has ended: " + output));
        });
    }

    /** Where its page is. */
    String address() throws Exception {
        try {
            return address.get(SECONDS, TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError("not ready within " + SECONDS + " s: " + output, e);
        }
    }

    /** Its own children: the process with the memory. */
    List<ProcessHandle> children() {
        return process.children().toList();
    }

    String output() {
        return output.toString();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, 60, TimeUnit.SECONDS).join();
        process.destroyForcibly();
    }
}
