package io.rdma.samples.weather;

import io.rdma.samples.support.ChildJvm;
import io.rdma.samples.support.ParentProcess;
import io.rdma.samples.support.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The main program. It starts the service in a process of its own and the client in this one, and ends with the client.
 * {@code server} and {@code client}, each followed by arguments for Spring, run only one of them.
 */
final class Weather {
    /** Text that the server prints when it listens, followed by its port. */
    static final String READY = "weather on port ";

    /** First argument of a server that ends with its standard input, and so with its parent process. */
    private static final String TIED = "tied-server";

    private Weather() {}

    public static void main(String[] args) throws IOException {
        String[] more = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        switch (args.length == 0 ? "" : args[0]) {
            case "server" -> WeatherServer.run(more);
            case "client" -> WeatherClient.run(more);
            case TIED -> {
                ParentProcess.endWithIt();
                WeatherServer.run(more);
            }
            default -> both(args);
        }
    }

    private static void both(String[] args) throws IOException {
        List<String> tied = new ArrayList<>(List.of(TIED, "--rdma.rsocket.port=0"));
        tied.addAll(List.of(args));
        try (ServerProcess server = new ServerProcess(ChildJvm.of(ChildJvm.SMALL, Weather.class, tied))) {
            String[] client = Arrays.copyOf(args, args.length + 1);
            client[args.length] = "--rdma.client.port=" + server.port(READY);
            System.out.println("process " + server.handle().pid() + " serves, process "
                    + ProcessHandle.current().pid() + " asks");
            WeatherClient.run(client);
            System.out.println("the server ended with status " + server.end());
        }
    }
}
