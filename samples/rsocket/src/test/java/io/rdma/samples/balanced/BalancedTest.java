package io.rdma.samples.balanced;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.testing.JavaProcess;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** A client over several servers in processes of their own. */
@Timeout(600)
class BalancedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(240);
    private static final int AT_ONCE = 16;

    private final Map<String, JavaProcess> processes = new TreeMap<>();

    @AfterEach
    void stop() {
        processes.values().forEach(JavaProcess::close);
    }

    private JavaProcess begin(String name) throws IOException {
        JavaProcess process = new JavaProcess(Balanced.class, "server", name, "soft0", "127.0.0.1", "0");
        processes.put(name, process);
        return process;
    }

    private int port(String name) throws InterruptedException {
        return Integer.parseInt(processes.get(name).await(DigestServer.READY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "server a soft0 127.0.0.1 port", "client soft0 localhost 65536", "--help"})
    void whatIsNotUnderstoodIsToldHow(String arguments) throws Exception {
        try (JavaProcess wrong = new JavaProcess(Balanced.class, arguments.split(" "))) {
            assertThat(wrong.ended(2).output()).contains("usage:", "Balanced server NAME DEVICE HOST PORT");
        }
    }

    /**
     * Asks so many questions.
     *
     * @return how many were answered rightly
     */
    private static long ask(DigestClient client, int questions, Runnable afterAThird) {
        AtomicLong answered = new AtomicLong();
        return Flux.range(0, questions)
                .flatMap(
                        number -> client.ask(number)
                                .map(digest -> digest.equals(Digests.of(Integer.toString(number))))
                                .doOnNext(right -> {
                                    if (answered.incrementAndGet() == questions / 3) {
                                        afterAThird.run();
                                    }
                                }),
                        AT_ONCE)
                .filter(right -> right)
                .count()
                .block(PATIENCE);
    }

    /** Asks until each of some servers has answered once more. */
    private static void askUntilAnsweredBy(DigestClient client, String... names) {
        Map<String, Long> before = new TreeMap<>();
        for (String name : names) {
            before.put(name, client.answersOf(name));
        }
        Flux.range(0, Integer.MAX_VALUE)
                .concatMap(client::ask)
                .filter(digest -> before.entrySet().stream()
                        .allMatch(server -> client.answersOf(server.getKey()) > server.getValue()))
                .blockFirst(PATIENCE);
    }

    @Test
    void whenAServerIsKilledTheOthersAnswerAndANewOneJoins() throws Exception {
        for (String name : List.of("alpha", "beta", "gamma")) {
            begin(name);
        }
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"))) {
            Servers servers = new Servers();
            DigestClient client = new DigestClient(RdmaClient.create().resources(resources), servers);
            try {
                for (String name : List.of("alpha", "beta", "gamma")) {
                    servers.joined(name, "127.0.0.1", port(name));
                }
                askUntilAnsweredBy(client, "alpha", "beta", "gamma");

                JavaProcess victim = processes.get("beta");
                assertThat(ask(client, 3_000, victim::kill))
                        .as("answered, though the discovery goes on naming the server that was killed")
                        .isEqualTo(3_000);
                victim.ended(137);
                long last = client.answersOf("beta");
                assertThat(ask(client, 300, () -> {})).isEqualTo(300);
                assertThat(client.answersOf("beta")).isEqualTo(last);
                askUntilAnsweredBy(client, "alpha", "gamma");

                servers.left("beta");
                begin("delta");
                servers.joined("delta", "127.0.0.1", port("delta"));
                askUntilAnsweredBy(client, "alpha", "gamma", "delta");
            } finally {
                client.dispose();
            }
        }
        for (String name : List.of("alpha", "gamma", "delta")) {
            assertThat(processes.get(name).terminate().ended(143).output()).doesNotContainIgnoringCase("leak");
        }
    }

    @Test
    void oneCommandShowsIt() throws Exception {
        try (JavaProcess demonstration = new JavaProcess(Balanced.class)) {
            assertThat(demonstration.ended(0).output())
                    .contains("server beta was killed")
                    .contains("the discovery has noticed")
                    .containsPattern("alpha +\\d+   beta +\\d+   delta +\\d+   gamma +\\d+   failed attempts \\d+\n")
                    .containsPattern("\\d{4,} questions answered rightly, 0 wrongly or not\n");
        }
    }

    @Test
    void aNameIsADiscovery() throws Exception {
        begin("alpha");
        try (JavaProcess client =
                new JavaProcess(Balanced.class, "client", "soft0", "127.0.0.1", Integer.toString(port("alpha")))) {
            client.await(
                    "answers",
                    Pattern.compile("alpha +\\d{2,}   failed attempts \\d+   wrong 0")
                            .asMatchPredicate());
            client.terminate().ended(143);
        }
    }
}
