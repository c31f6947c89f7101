package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.JavaProcess;
import io.rdma.testing.RxeLink;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Removal of a device under streams between two processes, {@code rdma link delete}. */
@Tag("rxe")
class RxeRemovalTest {
    private static final Duration PATIENCE = Duration.ofSeconds(240);
    private static final String HOST = "10.77.1.1";

    private RxeLink link;
    private JavaProcess server;
    private JavaProcess client;

    @BeforeEach
    void add() {
        link = RxeLink.added();
    }

    @AfterEach
    void remove() {
        if (link != null) {
            for (JavaProcess one : new JavaProcess[] {server, client}) {
                if (one != null) {
                    one.close();
                }
            }
            link.remove();
        }
    }

    private void start(String connector) throws Exception {
        server = new JavaProcess(TwoStreams.class, "rxe1", connector, HOST);
        client = new JavaProcess(TwoStreams.class, "rxe1", connector, HOST, server.await("listening"));
        client.await("connected");
        assertFlows();
    }

    private void assertFlows() throws Exception {
        for (JavaProcess one : new JavaProcess[] {server, client}) {
            one.enter();
            one.await("flowing");
        }
    }

    private Process removing() {
        Process removing = link.removing();
        await("the removal has begun").atMost(PATIENCE).until(() -> !link.isFound());
        return removing;
    }

    private static void assertSucceeds(Process removing) throws InterruptedException {
        assertThat(removing.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(removing.exitValue()).isZero();
    }

    @Test
    void streamsOverRdmaCmAreLostAndEverythingCloses() throws Exception {
        start("RDMA_CM");
        Process removing = removing();
        server.await("lost");
        client.await("lost");
        server.ended(0);
        client.ended(0);
        assertSucceeds(removing);
    }

    /** The driver of Linux 6.1 takes no device from a process that has it open: the removal waits for the process. */
    @Test
    void streamsOverTheExchangeGoOnWhileTheRemovalWaits() throws Exception {
        start("TCP");
        Process removing = removing();
        assertFlows();
        assertThat(removing.isAlive()).isTrue();
        server.kill();
        client.await("lost");
        client.ended(0);
        assertSucceeds(removing);
    }
}
