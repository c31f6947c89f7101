package io.rdma.samples;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RemoteMemory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The second process of the demo: checks what arrives, offers a region. Prints its port, ends when its standard input does. */
@Command(name = "demo-server", hidden = true, mixinStandardHelpOptions = true)
final class DemoServer implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Override
    public Integer call() throws IOException {
        DisposableServer server = RdmaServer.create()
                .device(device.device().name())
                .host("127.0.0.1")
                .receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                .handle(DemoServer::serve)
                .bindNow(PATIENCE);
        System.out.println(server.port());
        while (System.in.read() >= 0) {
            // until the parent closes it, or ends
        }
        server.disposeNow(PATIENCE);
        return 0;
    }

    private static Publisher<Void> serve(RdmaConnection connection) {
        AccessFlag[] all = {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC};
        return connection.allocate(DemoProtocol.REGION_BYTES, all).flatMap(region -> {
            Checker checker = new Checker(connection, region);
            return connection
                    .send(RemoteMemory.ENCODED_BYTES, region.remote()::encode)
                    // A slow consumer on purpose: off the loop, a few messages at a time.
                    .thenMany(connection.receiveOwned().publishOn(Schedulers.boundedElastic(), 16))
                    .concatMap(checker::check)
                    .then();
        });
    }

    /** Counts and checks the messages of one connection, in order. */
    private static final class Checker {
        private final RdmaConnection connection;
        private final MemoryRegion region;
        private long messages;
        private long errors;

        Checker(RdmaConnection connection, MemoryRegion region) {
            this.connection = connection;
            this.region = region;
        }

        Mono<Void> check(ReceivedMessage message) {
            try (message) {
                switch (DemoProtocol.type(message.segment())) {
                    case DemoProtocol.FINISH -> {
                        return answer(messages, errors);
                    }
                    case DemoProtocol.CHECK -> {
                        return answer(DemoProtocol.crc(region.segment()), 0);
                    }
                    default -> {
                        if (!DemoProtocol.isData(message.segment(), messages)) {
                            errors++;
                        }
                        messages++;
                        return Mono.empty();
                    }
                }
            }
        }

        private Mono<Void> answer(long first, long second) {
            return connection.send(
                    DemoProtocol.ANSWER_BYTES, target -> DemoProtocol.encodeAnswer(target, first, second));
        }
    }
}
