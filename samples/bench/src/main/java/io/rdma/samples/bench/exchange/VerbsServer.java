package io.rdma.samples.bench.exchange;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.IdleStrategy;
import io.rdma.engine.ResourceOptions;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * The peer of a {@link VerbsClient}, which does not measure. It lends memory, returns messages that request an answer,
 * and answers writes.
 */
public final class VerbsServer {
    static final int BUFFERS = 64;
    /** Size of a receive buffer, in bytes. */
    public static final int BUFFER_BYTES = 65_536;
    /** Size of the memory that the server lends, in bytes. */
    public static final int MEMORY_BYTES = 1 << 20;

    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine

    private static final byte[] PLAIN = new byte[BUFFER_BYTES];
    private static final Mono<Void> NOTHING = Mono.empty();

    private VerbsServer() {}

    /**
     * Runs a server.
     *
     * @param arguments device, idle strategy, address to listen on
     * @throws IOException if it cannot
     */
    public static void main(String[] arguments) throws IOException {
        RdmaResources resources = resources(arguments[0], IdleStrategy.valueOf(arguments[1]));
        int port = server(RdmaServer.create().resources(resources).host(arguments[2]))
                .port();
        OtherJvm.listening("verbs", port);
        OtherJvm.untilTheEnd();
    }

    /**
     * Binds a server.
     *
     * @param server with resources and host
     * @return listening on a port that the system chose
     */
    public static DisposableServer server(RdmaServer server) {
        return server.port(0)
                .receiveBuffers(BUFFERS, BUFFER_BYTES)
                .sendBuffers(BUFFERS, BUFFER_BYTES)
                .options(options -> options.withHandshakeTimeout(PATIENCE))
                .handle(VerbsServer::serve)
                .bindNow(PATIENCE);
    }

    /**
     * Marks a message as one that requests an answer.
     *
     * @param message at least one byte
     */
    public static void askForAnAnswer(MemorySegment message) {
        message.set(ValueLayout.JAVA_BYTE, 0, Carrier.ANSWER);
    }

    /**
     * Opens a device with one loop, for either end.
     *
     * @param device name
     * @param idle idle strategy of the loop
     * @return to be closed
     */
    public static RdmaResources resources(String device, IdleStrategy idle) {
        return RdmaResources.open(RdmaDevices.named(device), ResourceOptions.DEFAULT.withIdleStrategy(idle));
    }

    private static Mono<Void> serve(RdmaConnection connection) {
        return connection
                .allocate(
                        MEMORY_BYTES + BUFFER_BYTES,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_ATOMIC)
                .flatMap(memory -> connection
                        .send(RemoteMemory.ENCODED_BYTES, memory.remote().slice(0, MEMORY_BYTES)::encode)
                        .thenMany(connection.receive(message -> answer(connection, memory, message.segment())))
                        .filter(answer -> answer != NOTHING)
                        .concatMap(answer -> answer)
                        .then());
    }

    private static Mono<Void> answer(RdmaConnection connection, MemoryRegion memory, MemorySegment message) {
        switch (message.get(ValueLayout.JAVA_BYTE, 0)) {
            case Carrier.ANSWER -> {
                int length = (int) message.byteSize();
                return connection.send(length, copyOf(PLAIN, length));
            }
            case WriteRequest.KIND -> {
                WriteRequest request = WriteRequest.decode(message);
                new WriteTurns(connection, memory, MEMORY_BYTES, 0, request.inbox()).answer(request.count());
                return connection.send(1, copyOf(PLAIN, 1));
            }
            default -> {
                return NOTHING;
            }
        }
    }

    private static Consumer<MemorySegment> copyOf(byte[] message, int length) {
        return target -> MemorySegment.copy(message, 0, target, ValueLayout.JAVA_BYTE, 0, length);
    }
}
