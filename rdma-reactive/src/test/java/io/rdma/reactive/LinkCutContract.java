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

/** Contract for a link that is cut under streams to and from another process, for longer than the device retries. */
abstract class LinkCutContract {
    private static final Duration PATIENCE = Duration.ofSeconds(240);

    private TwoStreams here;
    private JavaProcess there;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    /** Skips the test where there is no link to cut. */
    abstract void assumePossible();

    /** Starts the process at the other end of the link, with these arguments of {@link TwoStreams}. */
    abstract JavaProcess peer(String connector, String host, String ports) throws Exception;

    /** Makes the link lose every packet, of which no device is notified. */
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

    /** Cuts the link under streams, and asserts that all ends while it is cut. */
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
