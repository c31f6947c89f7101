package io.rdma.samples.ucmatose;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.support.DeviceOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The other end of rdma-core's {@code ucmatose(1)}, which is independent of this library. The server sends a number of
 * messages on each connection, the client sends as many back, and the server disconnects. Connections are made by RDMA
 * CM and carry plain messages. Both ends must be given the same numbers.
 */
@Command(
        name = "ucmatose",
        mixinStandardHelpOptions = true,
        description =
                "Messages over RDMA CM that talk to rdma-core's ucmatose; with -s it is the client. Both ends need the same -c, -C and -S.")
public final class Ucmatose implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(names = "-s", paramLabel = "ADDRESS", description = "Address of the server to connect to.")
    private @Nullable String server;

    @Option(
            names = "-b",
            paramLabel = "ADDRESS",
            description = "Address that the server listens on; default: ${DEFAULT-VALUE}.")
    private String bind = "0.0.0.0";

    @Option(names = "-p", paramLabel = "PORT", description = "Port; default: ${DEFAULT-VALUE}.")
    private int port = 7471;

    @Option(names = "-c", description = "Connections; default: ${DEFAULT-VALUE}.")
    private int connections = 1;

    @Option(names = "-C", description = "Messages each way; default: ${DEFAULT-VALUE}.")
    private int count = 10;

    @Option(names = "-S", description = "Bytes of a message; default: ${DEFAULT-VALUE}.")
    private int size = 100;

    private Ucmatose() {}

    @Override
    public Integer call() {
        if (connections < 1 || count < 1 || size < 1) {
            throw new IllegalArgumentException(
                    "-c, -C and -S must be at least 1: " + connections + ", " + count + ", " + size);
        }
        String name = device.device().name();
        long received = server == null ? serve(name) : connect(name, server);
        System.out.println("test complete: " + received + " messages received");
        return received == (long) connections * count ? 0 : 1;
    }

    private long total(Flux<Long> ofEach) {
        Long sum = ofEach.doOnNext(messages ->
                        System.out.println("data transfers complete: " + messages + " messages of " + size + " bytes"))
                .reduce(0L, Long::sum)
                .block(PATIENCE);
        return sum == null ? 0 : sum;
    }

    private ConnectionOptions options(ConnectionOptions defaults) {
        return defaults.withConnectMethod(ConnectMethod.RDMA_CM)
                .withFlowControl(FlowControl.PLAIN)
                .withReceiveBuffers(count, size);
    }

    private long serve(String name) {
        Sinks.Many<Long> ended = Sinks.many().unicast().onBackpressureBuffer();
        DisposableServer listener = RdmaServer.create()
                .device(name)
                .host(bind)
                .port(port)
                .options(this::options)
                .handle(connection -> sent(connection)
                        .then(received(connection).count())
                        .doOnNext(messages -> ended.emitNext(messages, Sinks.EmitFailureHandler.busyLooping(PATIENCE)))
                        .then())
                .bindNow(PATIENCE);
        try {
            System.out.println("listening on port " + listener.port());
            return total(ended.asFlux().take(connections));
        } finally {
            listener.disposeNow(PATIENCE);
        }
    }

    private long connect(String name, String host) {
        RdmaClient client =
                RdmaClient.create().device(name).host(host).port(port).options(this::options);
        return total(Flux.range(0, connections)
                .flatMap(
                        i -> Mono.usingWhen(client.connect(), this::answer, RdmaConnection::disposeLater),
                        connections));
    }

    /** Receives the messages, sends as many back, and completes when the server disconnects. */
    private Mono<Long> answer(RdmaConnection connection) {
        return received(connection)
                .count()
                .delayUntil(messages -> sent(connection))
                .delayUntil(messages ->
                        connection.receive(message -> message.length()).then());
    }

    private Mono<Void> sent(RdmaConnection connection) {
        return connection.send(Flux.range(0, count), (number, target) -> {
            if (target.byteSize() < size) {
                return -size; // requests a buffer of that size
            }
            target.asSlice(0, size).fill((byte) (int) number);
            return size;
        });
    }

    /** Returns the lengths of the messages that the peer sends before it waits. */
    private Flux<Integer> received(RdmaConnection connection) {
        return connection.receive(message -> message.length()).take(count);
    }
}
