package io.rdma.reactive.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.ServerAddress;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rsocket.Payload;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketClient;
import io.rsocket.core.RSocketServer;
import io.rsocket.loadbalance.LoadbalanceRSocketClient;
import io.rsocket.loadbalance.LoadbalanceTarget;
import io.rsocket.util.DefaultPayload;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Test of RSocket's own load balancing over several RDMA servers, as docs/operate/scaling.md describes it. */
class SoftBalancingTest {
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration REFRESH = Duration.ofMillis(50);

    private final List<RdmaCloseableServer> servers = new ArrayList<>();
    private final RdmaClientTransport transport =
            RdmaClientTransport.create(RdmaClient.create().device("soft0"));
    private RSocketClient client;

    @BeforeEach
    void start() {
        for (int i = 0; i < SERVERS; i++) {
            String name = "server " + i;
            servers.add(RSocketServer.create(SocketAcceptor.forRequestResponse(question -> {
                        question.release();
                        return Mono.just(DefaultPayload.create(name));
                    }))
                    .bind(RdmaServerTransport.create(
                            RdmaServer.create().device("soft0").host("127.0.0.1")))
                    .block(PATIENCE));
        }
        client = LoadbalanceRSocketClient.builder(transport.targets(this::running, REFRESH))
                .roundRobinLoadbalanceStrategy()
                .build();
    }

    @AfterEach
    void stop() {
        client.dispose();
        servers.forEach(RdmaCloseableServer::dispose);
    }

    private List<ServerAddress> running() {
        return servers.stream()
                .filter(server -> !server.isDisposed())
                .map(server -> new ServerAddress(server.address(), 1))
                .toList();
    }

    private List<List<LoadbalanceTarget>> twoLists(AddressSupplier addresses) {
        return transport.targets(addresses, REFRESH).take(2).collectList().block(PATIENCE);
    }

    /** Asks, and asks again after a failure. Only the application knows that its question may be repeated. */
    private String ask() {
        return client.requestResponse(Mono.fromSupplier(() -> DefaultPayload.create("who?")))
                .map(SoftBalancingTest::text)
                .retryWhen(Retry.backoff(100, Duration.ofMillis(1)).maxBackoff(Duration.ofMillis(100)))
                .block(PATIENCE);
    }

    private static String text(Payload answer) {
        String text = answer.getDataUtf8();
        answer.release();
        return text;
    }

    private void expect(Set<String> all) {
        Set<String> answers = new HashSet<>();
        await().atMost(PATIENCE).until(() -> {
            answers.add(ask());
            return answers.containsAll(all);
        });
    }

    @Test
    void oneOfSeveralServersDiesAndTheOthersAnswer() {
        expect(Set.of("server 0", "server 1", "server 2"));
        servers.get(1).dispose();
        servers.get(1).onClose().block(PATIENCE);
        expect(Set.of("server 0", "server 2"));
        for (int i = 0; i < 4 * SERVERS; i++) {
            assertThat(ask()).isIn("server 0", "server 2");
        }
    }

    @Test
    void aTargetStaysTheSameFromListToList() {
        List<List<LoadbalanceTarget>> lists = twoLists(this::running);
        assertThat(lists.get(0)).hasSize(SERVERS).doesNotHaveDuplicates().isEqualTo(lists.get(1));
    }

    @Test
    void aServerIsAsManyTargetsAsItsWeight() {
        List<LoadbalanceTarget> once = twoLists(AddressSupplier.of(ServerAddress.of("a.example", 7471)))
                .get(0);
        ServerAddress first = ServerAddress.of("a.example", 7471);
        List<LoadbalanceTarget> weighted = twoLists(AddressSupplier.of(
                        first.withWeight(9), ServerAddress.of("b.example", 7471), first.withWeight(3)))
                .get(0);
        assertThat(weighted).hasSize(4).doesNotHaveDuplicates().containsAll(once);
    }

    @Test
    void eachAddressOfANameIsATarget() {
        AddressSupplier named = AddressSupplier.dns("digests.example", 7471, host -> new InetAddress[] {
            InetAddress.getByAddress(host, new byte[] {10, 0, 0, 1}),
            InetAddress.getByAddress(host, new byte[] {10, 0, 0, 2})
        });
        assertThat(twoLists(named).get(0)).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void thereIsNoListWhileTheLookUpFails() {
        AtomicInteger lookUps = new AtomicInteger();
        List<List<LoadbalanceTarget>> lists = twoLists(() -> switch (lookUps.incrementAndGet()) {
            case 1 -> List.of();
            case 2 -> throw new UnknownHostException("on purpose");
            case 3 -> throw new IllegalStateException("on purpose");
            default -> running();
        });
        assertThat(lists.get(0)).isEmpty();
        assertThat(lists.get(1)).hasSize(SERVERS);
        assertThatThrownBy(() -> transport.targets(this::running, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than zero");
    }
}
