package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBufAllocator;
import io.rdma.connect.AddressSupplier;
import io.rdma.connect.ServerAddress;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rsocket.DuplexConnection;
import io.rsocket.loadbalance.LoadbalanceTarget;
import io.rsocket.transport.ClientTransport;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Client transport of RSocket over RDMA. Immutable: each method that changes a setting returns a copy.
 *
 * <pre>{@code
 * RSocketConnector.connectWith(RdmaClientTransport.create(RdmaClient.create().host("10.0.0.1").port(7471)))
 * }</pre>
 *
 * <p>A frame is a message. The peer reads a frame that is larger than its receive buffers from registered memory, so
 * frames need not be fragmented. Frames that arrive stay in registered memory until RSocket releases them, or the
 * application with {@code PayloadDecoder.ZERO_COPY}. When half of the receive buffers are held this way, further frames
 * are copied. <b>Signals</b> arrive on the completion loop: functions that RSocket calls there must not block.
 */
public final class RdmaClientTransport implements ClientTransport {
    private static final System.Logger LOG = System.getLogger(RdmaClientTransport.class.getName());

    private final RdmaClient client;
    private final InetSocketAddress server;
    private final int maxFrameLength;
    private final ByteBufAllocator alloc;

    private RdmaClientTransport(
            RdmaClient client, InetSocketAddress server, int maxFrameLength, ByteBufAllocator alloc) {
        this.client = client;
        this.server = server;
        this.maxFrameLength = RdmaServerTransport.checkedFrameLength(maxFrameLength);
        this.alloc = Objects.requireNonNull(alloc, "alloc");
    }

    /**
     * Returns a transport with frames of up to 16 MiB, and Netty's default allocator.
     *
     * @param client client with address and options; frames keep their boundaries, so any options are suitable
     * @return a transport
     */
    public static RdmaClientTransport create(RdmaClient client) {
        return new RdmaClientTransport(
                client, client.address(), RdmaServerTransport.MAX_FRAME_LENGTH, ByteBufAllocator.DEFAULT);
    }

    /**
     * Sets the limit on the length of frames.
     *
     * @param bytes 64 to 16,777,215; at most the peer's {@code maxMessageSize}
     * @return a copy
     */
    public RdmaClientTransport maxFrameLength(int bytes) {
        return new RdmaClientTransport(client, server, bytes, alloc);
    }

    /**
     * Sets the allocator for frames that are sent and for copies.
     *
     * @param allocator any allocator
     * @return a copy
     */
    public RdmaClientTransport alloc(ByteBufAllocator allocator) {
        return new RdmaClientTransport(client, server, maxFrameLength, allocator);
    }

    @Override
    public int maxFrameLength() {
        return maxFrameLength;
    }

    /**
     * Connects once for each subscription.
     *
     * <p><b>Errors</b> as {@link RdmaClient#connect}. <b>Cancel</b> stops the attempt; a connection that is established
     * nevertheless is closed.
     *
     * @return the connection
     */
    @Override
    public Mono<DuplexConnection> connect() {
        return client.connect(server)
                .<DuplexConnection>map(connection -> new RdmaDuplexConnection(connection, alloc))
                .doOnDiscard(RdmaConnection.class, RdmaConnection::dispose);
    }

    /**
     * Lists servers for RSocket's load balancing, each with a transport like this one. A server with the weight
     * {@code n} is {@code n} targets: it gets as many connections, and as many shares of the requests where RSocket
     * takes the targets in turn.
     *
     * <pre>{@code
     * LoadbalanceRSocketClient.builder(transport.targets(AddressSupplier.dns(name, 7471), Duration.ofSeconds(1)))
     * }</pre>
     *
     * <p><b>Emits</b> a list when it is subscribed to and then at intervals, also one that has not changed, because
     * RSocket uses a server whose connection has ended no more until the next list has it. While the supplier throws,
     * there is no list, and the log says why. <b>Cancel</b> ends the look-ups.
     *
     * @param servers the addresses; the host and port of the client are not used
     * @param refresh time between look-ups, more than zero
     * @return the lists, without end
     */
    public Flux<List<LoadbalanceTarget>> targets(AddressSupplier servers, Duration refresh) {
        if (refresh.isZero() || refresh.isNegative()) {
            throw new IllegalArgumentException("refresh is " + refresh + ": use more than zero");
        }
        return Flux.interval(Duration.ZERO, refresh)
                .onBackpressureDrop()
                .concatMap(
                        tick -> Mono.fromCallable(servers::addresses)
                                .subscribeOn(Schedulers.boundedElastic()) // it may block
                                .map(this::targets)
                                .doOnError(error -> LOG.log(
                                        Level.WARNING,
                                        "the list of servers stays as it is, because the look-up failed: " + error))
                                .onErrorComplete(),
                        1);
    }

    private List<LoadbalanceTarget> targets(List<ServerAddress> servers) {
        Map<InetSocketAddress, Integer> weights = new LinkedHashMap<>();
        servers.forEach(one -> weights.put(one.address(), one.weight()));
        return weights.entrySet().stream()
                .flatMap(one -> IntStream.range(0, one.getValue()).mapToObj(i -> target(one.getKey(), i)))
                .toList();
    }

    /** RSocket takes targets with the same key for the same one. All addresses of a DNS name have the same host. */
    private LoadbalanceTarget target(InetSocketAddress address, int index) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return LoadbalanceTarget.from(
                host + ":" + address.getPort() + "#" + index,
                new RdmaClientTransport(client, address, maxFrameLength, alloc));
    }
}
