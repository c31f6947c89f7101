package io.rdma.reactive;

import io.rdma.cm.Connector;
import io.rdma.internal.ffi.FfmVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.testing.TestDevice;
import io.rdma.testing.seam.SeamScenario;
import io.rdma.testing.seam.SeamSweep;
import io.rdma.testing.seam.Setup;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Faults at the first call of every method before the real library, on an emulated machine: over one way to connect for each kind of receives. */
@Tag("rxe")
class RxeSeamSweepTest extends SeamSweep {
    @BeforeAll
    static void deviceIsHere() {
        TestDevice.assumed("rxe0");
    }

    @Override
    protected Verbs library() {
        return FfmVerbs.ifAvailable().orElseThrow();
    }

    @Override
    protected String device() {
        return "rxe0";
    }

    @Override
    protected SeamScenario scenario() {
        return new ReactiveScenario();
    }

    @Override
    protected int firstCalls(Setup setup) {
        return 1;
    }

    @Override
    protected List<Setup> setups() {
        return List.of(new Setup("10.77.0.1", Connector.RDMA_CM, false), new Setup("127.0.0.1", Connector.TCP, true));
    }
}
