package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.seam.SeamScenario;
import io.rdma.testing.seam.SeamSweep;
import io.rdma.testing.seam.Setup;

/** Sweep of faults at every call of the software device's seam, with connections that the TCP exchange makes. */
class SoftSeamSweepTest extends SeamSweep {
    @Override
    protected Verbs library() {
        return FaultySoft.create(() -> false);
    }

    @Override
    protected String device() {
        return "soft0";
    }

    @Override
    protected ConnectMethod connector() {
        return ConnectMethod.TCP;
    }

    @Override
    protected SeamScenario scenario() {
        return new ReactiveScenario();
    }

    @Override
    protected int firstCalls(Setup setup) {
        return Integer.getInteger("io.rdma.sweep.calls", 2);
    }
}
