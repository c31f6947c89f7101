package io.rdma.samples.demo;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.Language;
import io.rdma.samples.support.ParentProcess;
import io.rdma.types.RemoteMemory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The server process of the demo. It checks the messages that arrive and offers a region. It prints its port, and ends
 * when its standard input does.
 */
@Command(name = "demo-server", hidden = true, mixinStandardHelpOptions = true)
public final class DemoServer implements Callable<Integer> {
    /** Text that a server prints when it listens, followed by its port. */
    static final String READY = "listening on port ";

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(names = "--host", defaultValue = "127.0.0.1")
    private String host = "";

    @Option(names = "--language", defaultValue = "java")
    private Language language = Language.java;

    @Override
    public Integer call() throws IOException {
        DemoSetup setup = DemoSetup.of(device.device(), host);
        if (language == Language.kotlin) {
            DemoKotlinServerKt.demoServer(setup);
            return 0;
        }
        DisposableServer server = RdmaServer.create()
                .device(setup.device())
                .host(host)
                .receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                .handle(connection -> serve(setup, connection))
                .bindNow(PATIENCE);
        System.out.println(READY + server.port());
        ParentProcess.awaitEnd();
        server.disposeNow(PATIENCE);
        return 0;
    }

    private static Publisher<Void> serve(DemoSetup setup, RdmaConnection connection) {
        return connection.allocate(DemoProtocol.REGION_BYTES, setup.rights()).flatMap(region -> {
            DemoChecker checker = new DemoChecker(region.segment());
            return connection
                    .send(RemoteMemory.ENCODED_BYTES, region.remote()::encode)
                    // A deliberately slow consumer: off the loop, a few messages at a time.
                    .thenMany(connection.receiveOwned().publishOn(Schedulers.boundedElastic(), 16))
                    .concatMap(message -> answer(connection, checker, message))
                    .then();
        });
    }

    private static Mono<Void> answer(RdmaConnection connection, DemoChecker checker, ReceivedMessage message) {
        long[] answer;
        try (message) {
            answer = checker.answer(message.segment());
        }
        return answer == null
                ? Mono.empty()
                : connection.send(DemoProtocol.ANSWER_BYTES, to -> DemoProtocol.encodeAnswer(to, answer[0], answer[1]));
    }
}
