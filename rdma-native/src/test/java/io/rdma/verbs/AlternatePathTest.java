package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.AltPath;
import org.junit.jupiter.api.Test;

class AlternatePathTest {
    private static AltPath reported(int port, boolean global) {
        return new AltPath(new AhAttr(new byte[16], 0, 0, 0, 0, 0, 0, 0, 0, global, port), 0, port, 0);
    }

    /** Port 0 with a route is the report of rdma_rxe. */
    @Test
    void aReportWithoutAPortIsNoPath() {
        assertThat(AlternatePath.of(reported(0, true))).isNull();
        assertThat(AlternatePath.of(reported(0, false))).isNull();
        assertThat(AlternatePath.of(reported(1, true))).isNotNull();
        assertThat(AlternatePath.of(reported(1, false))).isNotNull();
    }
}
