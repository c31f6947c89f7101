package io.rdma.reactive.rsocket;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rsocket.DuplexConnection;
import io.rsocket.test.TransportTest.TransportPair;
import io.rsocket.transport.ClientTransport;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Pairs of a requester and a responder for RSocket's tests, connected over a device. */
final class TransportPairs {
    static {
        RestingVerifier.install();
    }

    private TransportPairs() {}

    static TransportPair<Object, RdmaCloseableServer> over(String device) {
        return over(device, UnaryOperator.identity());
    }

    /**
     * Returns a pair as {@link #over} does, for an emulated machine, which has no time for a keep-alive every 10 ms.
     */
    static TransportPair<Object, RdmaCloseableServer> sparing(String device) {
        return over(device, TransportPairs::sparing);
    }

    private static TransportPair<Object, RdmaCloseableServer> over(String device, UnaryOperator<ClientTransport> wrap) {
        return new TransportPair<>(
                Object::new,
                (address, server, allocator) -> wrap.apply(RdmaClientTransport.create(RdmaClient.create()
                                .device(device)
                                .host("127.0.0.1")
                                .port(server.address().getPort()))
                        .alloc(allocator)),
                (address, allocator) -> RdmaServerTransport.create(
                                RdmaServer.create().device(device).host("127.0.0.1"))
                        .alloc(allocator));
    }

    private static ClientTransport sparing(ClientTransport transport) {
        return new ClientTransport() {
            @Override
            public Mono<DuplexConnection> connect() {
                return transport.connect().map(SparseKeepAlives::new);
            }

            @Override
            public int maxFrameLength() {
                return transport.maxFrameLength();
            }
        };
    }
}
