package io.rdma.samples.demo;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.Language;
import io.rdma.samples.support.ParentProcess;
import io.rdma.types.AccessFlag;
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

    @Option(names = "--language", defaultValue = "java")
    private Language language = Language.java;

    @Override
    public Integer call() throws IOException {
        String name = device.device().name();
        if (language == Language.kotlin) {
            DemoKotlinServerKt.demoServer(name);
            return 0;
        }
        DisposableServer server = RdmaServer.create()
                .device(name)
                .host("127.0.0.1")
                .receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                .handle(DemoServer::serve)
                .bindNow(PATIENCE);
        System.out.println(READY + server.port());
        ParentProcess.awaitEnd();
        server.disposeNow(PATIENCE);
        return 0;
    }

    private static Publisher<Void> serve(RdmaConnection connection) {
        AccessFlag[] all = {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC};
        return connection.allocate(DemoProtocol.REGION_BYTES, all).flatMap(region -> {
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
