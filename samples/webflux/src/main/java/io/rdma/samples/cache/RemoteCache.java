package io.rdma.samples.cache;

import io.micrometer.core.instrument.MeterRegistry;
import io.rdma.samples.latencies.Latencies;
import io.rdma.samples.support.ChildJvm;
import io.rdma.samples.support.ParentProcess;
import io.rdma.samples.support.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * The main program of the service. It also starts a process with the memory, unless {@code --rdma.client.port} names an
 * existing one, and {@code --cache.tcp.port} its port for TCP. {@code memory DEVICE HOST PORT TCP_PORT} runs only that
 * process.
 */
@SpringBootApplication(proxyBeanMethods = false)
class RemoteCache {
    /** Text that the service prints when it is ready, followed by the address of its page. */
    static final String READY = "open ";

    /** Text that the process with the memory prints first, followed by its port for RDMA. */
    static final String MEMORY_READY = "memory on port ";

    /** Text that the process with the memory prints then, followed by its port for TCP. */
    static final String TCP_READY = "memory over TCP on port ";

    /** First argument of a memory process that ends with its standard input, and so with its parent process. */
    private static final String TIED = "tied-memory";

    private static final String DEVICE = "--rdma.device=";
    private static final String PORT = "--rdma.client.port=";
    private static final String TCP_PORT = "--cache.tcp.port=";

    RemoteCache() {}

    @Bean
    static Latencies latencies(MeterRegistry registry) {
        return new Latencies(registry, "cache.operations", List.of("get", "put", "add"));
    }

    public static void main(String[] args) throws IOException {
        switch (args.length == 0 ? "" : args[0]) {
            case "memory" -> CacheMemory.run(args[1], args[2], Integer.parseInt(args[3]), Integer.parseInt(args[4]));
            case TIED -> {
                ParentProcess.endWithIt();
                CacheMemory.run(args[1], "127.0.0.1", 0, 0);
            }
            default -> web(args);
        }
    }

    private static void web(String[] args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        if (Arrays.stream(args).noneMatch(argument -> argument.startsWith(PORT))) {
            String device = Arrays.stream(args)
                    .filter(argument -> argument.startsWith(DEVICE))
                    .map(argument -> argument.substring(DEVICE.length()))
                    .findFirst()
                    .orElse("soft0");
            all.addAll(startMemory(device));
        }
        WebServerApplicationContext context =
                (WebServerApplicationContext) SpringApplication.run(RemoteCache.class, all.toArray(String[]::new));
        int port = Objects.requireNonNull(context.getWebServer()).getPort();
        System.out.println(READY + "http://localhost:" + port + "/");
    }

    /**
     * Starts the memory in a process of its own.
     *
     * @return options of the service: the ports that it listens on
     */
    private static List<String> startMemory(String device) throws IOException {
        ServerProcess memory = new ServerProcess(ChildJvm.of(ChildJvm.SMALL, RemoteCache.class, List.of(TIED, device)));
        int port = memory.port(MEMORY_READY);
        int tcpPort = memory.port(TCP_READY);
        System.out.println("process " + memory.handle().pid() + ": " + MEMORY_READY + port + ", over TCP " + tcpPort);
        return List.of(PORT + port, TCP_PORT + tcpPort);
    }
}
