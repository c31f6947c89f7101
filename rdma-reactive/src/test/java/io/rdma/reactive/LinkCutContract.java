package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.ConnectMethod;
import io.rdma.testing.JavaProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A link that is cut under streams to and from another process, for longer than the device retries. */
abstract class LinkCutContract {
    private static final Duration PATIENCE = Duration.ofSeconds(240);

    private TwoStreams here;
    private JavaProcess there;

    /** Name of the device. */
    abstract String device();

    /** An address of the device. */
    abstract String host();

    /** Skips the test where there is no link to cut. */
    abstract void assumePossible();

    /** Starts the process at the other end of the link, with these arguments of {@link TwoStreams}. */
    abstract JavaProcess peer(String connector, String host, String ports) throws Exception;

    /** Has the link lose every packet, which no device is told. */
    abstract void cut();

    abstract void heal();

    @BeforeEach
    void assumeLink() {
        assumePossible();
    }

    @AfterEach
    void nothingIsLeft() {
        if (there != null) {
            there.close();
            heal();
        }
        if (here != null) {
            close();
        }
    }

    private void close() {
        assertThat(CompletableFuture.runAsync(here::close)).succeedsWithin(PATIENCE);
    }

    private void flowing(ConnectMethod connector) throws Exception {
        here = TwoStreams.serving(device(), connector, host());
        there = peer(connector.name(), host(), here.ports());
        there.await("connected");
        there.enter();
        there.await("flowing");
        here.awaitFlow();
    }

    /** Cuts a link under streams, and heals it not before all that depends on it is over. */
    final void assertEndsWhileCut(ConnectMethod connector, Runnable cut) throws Exception {
        flowing(connector);
        cut.run();
        here.assertLost();
        there.await("lost");
        close();
        there.ended(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void noStreamLooksWholeAndAllClosesWhileItIsCut(ConnectMethod connector) throws Exception {
        assertEndsWhileCut(connector, this::cut);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void noStreamLooksWholeAndAllClosesIfItHealsWhenOneEndHasNoticed(ConnectMethod connector) throws Exception {
        flowing(connector);
        cut();
        here.assertLost();
        heal();
        there.await("lost");
        close();
        there.ended(0);
    }
}
