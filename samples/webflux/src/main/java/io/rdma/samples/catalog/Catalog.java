package io.rdma.samples.catalog;

import io.rdma.samples.support.ChildJvm;
import io.rdma.samples.support.ParentProcess;
import io.rdma.samples.support.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The main program: the shop, whose page shows the times of its calls. It also starts a process with the catalog,
 * unless {@code --catalog.port} and {@code --catalog.rdma-port} name an existing one. {@code service} and properties
 * run only that process.
 */
final class Catalog {
    /** Text that the shop prints when it is ready, followed by the address of its page. */
    static final String READY = "open ";

    /** First argument of a service that ends with its standard input, and so with its parent process. */
    private static final String TIED = "tied-service";

    private static final String DEVICE = "--rdma.device=";
    private static final String TCP_PORT = "--catalog.port=";
    private static final String RDMA_PORT = "--catalog.rdma-port=";

    private Catalog() {}

    public static void main(String[] args) throws IOException {
        String[] rest = Arrays.copyOfRange(args, Math.min(1, args.length), args.length);
        switch (args.length == 0 ? "" : args[0]) {
            case "service" -> CatalogService.run(rest);
            case TIED -> {
                ParentProcess.endWithIt();
                CatalogService.run(rest);
            }
            default -> shop(args);
        }
    }

    private static void shop(String[] args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        if (Arrays.stream(args).noneMatch(argument -> argument.startsWith(RDMA_PORT))) {
            all.addAll(startService(Arrays.stream(args)
                    .filter(argument -> argument.startsWith(DEVICE))
                    .toList()));
        }
        System.out.println(READY + Shop.run(all.toArray(String[]::new)));
    }

    /**
     * Starts the service in a process of its own.
     *
     * @return properties of the shop: the ports that it listens on
     */
    private static List<String> startService(List<String> device) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(TIED, "--server.port=0", "--rdma.http.port=0"));
        arguments.addAll(device);
        ServerProcess service = new ServerProcess(ChildJvm.of(ChildJvm.SMALL, Catalog.class, arguments));
        int port = service.port(CatalogService.TCP_READY);
        int rdmaPort = service.port(CatalogService.RDMA_READY);
        System.out.println("process " + service.handle().pid() + ": catalog over TCP on port " + port
                + ", over RDMA on port " + rdmaPort);
        return List.of(TCP_PORT + port, RDMA_PORT + rdmaPort);
    }
}
