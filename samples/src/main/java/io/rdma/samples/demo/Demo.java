package io.rdma.samples.demo;

import io.rdma.samples.support.ChildJvm;
import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.Language;
import io.rdma.samples.support.ServerProcess;
import io.rdma.verbs.RdmaDevice;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A demonstration of RDMA between processes on this host: messages under back-pressure, writes, reads and atomics, from
 * Java to a Kotlin server and from Kotlin to a Java server.
 */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Processes move data over RDMA and verify every byte.")
public final class Demo implements Callable<Integer> {
    /** The command line of which this is a command. Its command {@code demo-server} runs a server. */
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Address of this host; an iWARP device of the kernel needs its own.")
    private String host = "";

    @Option(names = "--scale", defaultValue = "1.0", description = "Factor for the number of operations.")
    private double scale;

    @Override
    public Integer call() throws IOException {
        RdmaDevice chosen = device.device();
        DemoSetup setup = DemoSetup.of(chosen, host);
        System.out.println("device " + chosen.name() + ", server and client are processes of their own on this host");
        if (!setup.atomics()) {
            System.out.println("the device has no atomics: the demo leaves them out");
        }
        try (ServerProcess kotlinServer = server(chosen, Language.kotlin);
                ServerProcess javaServer = server(chosen, Language.java)) {
            DemoReport report = new DemoReport();
            DemoJava.run(setup, kotlinServer.port(DemoServer.READY), scale, report);
            DemoKotlinKt.demoKotlin(setup, javaServer.port(DemoServer.READY), scale, report);
            int status = report.finish();
            for (ServerProcess server : List.of(kotlinServer, javaServer)) {
                if (server.end() != 0) {
                    System.out.println("a server process failed, or did not end in time");
                    status = 1;
                }
            }
            return status;
        }
    }

    private ServerProcess server(RdmaDevice device, Language language) throws IOException {
        return new ServerProcess(ChildJvm.of(
                ChildJvm.ownOptions(),
                spec.root().userObject().getClass(),
                List.of("demo-server", "--device", device.name(), "--host", host, "--language", language.name())));
    }

    static int scaled(int count, double scale) {
        return (int) Math.max(DemoProtocol.LANES, count * scale) / DemoProtocol.LANES * DemoProtocol.LANES;
    }
}
