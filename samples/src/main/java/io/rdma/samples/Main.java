package io.rdma.samples;

import io.rdma.samples.bench.Bench;
import io.rdma.samples.counter.Counter;
import io.rdma.samples.datagrams.Datagrams;
import io.rdma.samples.demo.Demo;
import io.rdma.samples.demo.DemoServer;
import io.rdma.samples.devinfo.DevInfo;
import io.rdma.samples.echo.Echo;
import io.rdma.samples.factors.Factors;
import io.rdma.samples.files.Files;
import io.rdma.samples.learn.Learn;
import io.rdma.samples.pingpong.PingPong;
import io.rdma.samples.pipeline.Pipeline;
import io.rdma.samples.rping.Rping;
import io.rdma.samples.ucmatose.Ucmatose;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The main program of the samples: one jar with one command for each sample. */
@Command(name = "rdma-samples", mixinStandardHelpOptions = true, description = "RDMA for the JVM, by example.")
public final class Main {
    private static final List<Class<?>> COMMANDS = List.of(
            Demo.class,
            DemoServer.class,
            DevInfo.class,
            Echo.class,
            Counter.class,
            Files.class,
            Datagrams.class,
            Factors.class,
            Pipeline.class,
            PingPong.Reliable.class,
            PingPong.Unreliable.class,
            PingPong.Datagram.class,
            PingPong.Shared.class,
            Rping.class,
            Ucmatose.class,
            Learn.class,
            Bench.class);

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Print the stack trace of an error.")
    private boolean verbose;

    Main() {}

    /**
     * Runs a command.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs a command and returns its exit status. */
    static int run(String[] args) {
        Main main = new Main();
        CommandLine line = line(main, args);
        line.setExecutionExceptionHandler((error, command, parsed) -> {
            System.err.println("error: " + (error.getMessage() == null ? error : error.getMessage()));
            if (main.verbose) {
                error.printStackTrace();
            }
            return 1;
        });
        return line.execute(args);
    }

    /** Returns the command that the arguments name, or all. To read all takes a third of a second of each start. */
    static CommandLine line(Main main, String... args) {
        CommandLine line = new CommandLine(main);
        List<Class<?>> named = COMMANDS.stream()
                .filter(command -> args.length > 0
                        && command.getAnnotation(Command.class).name().equals(args[0]))
                .toList();
        (named.isEmpty() ? COMMANDS : named).forEach(line::addSubcommand);
        return line.addSubcommand(CommandLine.HelpCommand.class);
    }
}
