package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.CapturedLog;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** Lines that refused clients cause in the server's log. The test decides when a second passes. */
class RefusalLogTest {
    private final ArrayDeque<Runnable> aSecondLater = new ArrayDeque<>();
    private final RefusalLog log =
            new RefusalLog(() -> System.getLogger("io.rdma.internal.connect.RefusalLogTest"), aSecondLater::add);

    private void refuse(int client, Level level) {
        log.refused(level, InetSocketAddress.createUnresolved("client", client), "reason " + client, null);
    }

    private void aSecondPasses() {
        assertThat(aSecondLater).hasSize(1);
        aSecondLater.remove().run();
    }

    @Test
    void thereIsOneLineASecond() {
        try (CapturedLog captured = new CapturedLog("io.rdma.internal.connect.RefusalLogTest")) {
            refuse(1, Level.INFO);
            assertThat(captured.lines())
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("INFO")
                    .endsWith(":1: reason 1");
            for (int i = 2; i <= 1_000; i++) {
                refuse(i, i == 500 ? Level.WARNING : Level.INFO);
            }
            assertThat(captured.lines()).hasSize(1);
            aSecondPasses();
            assertThat(captured.lines()).hasSize(2);
            assertThat(captured.lines().getLast())
                    .startsWith("WARNING 999 more")
                    .endsWith(":1000: reason 1000");
            aSecondPasses(); // nothing was refused in this second
            assertThat(captured.lines()).hasSize(2);
            assertThat(aSecondLater).isEmpty();
            refuse(1, Level.INFO);
            assertThat(captured.lines()).hasSize(3);
        }
    }
}
