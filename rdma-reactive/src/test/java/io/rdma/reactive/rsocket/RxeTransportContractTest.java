package io.rdma.reactive.rsocket;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * RSocket's own tests of a transport on rxe0. Those with ten thousand frames and more take many minutes on an emulated
 * processor, so they run on request only.
 */
@Tag("rxe")
class RxeTransportContractTest extends RdmaTransportContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    TransportPair<Object, RdmaCloseableServer> connected() {
        return TransportPairs.sparing(device());
    }

    private static void assumeStressIsRequested() {
        Assumptions.assumeTrue(
                System.getProperty("io.rdma.stress") != null, "many minutes long: asked for by -Dio.rdma.stress=1");
    }

    @Test
    @Override
    public void requestChannel20_000() {
        assumeStressIsRequested();
        super.requestChannel20_000();
    }

    @Test
    @Override
    public void requestResponse10_000() {
        assumeStressIsRequested();
        super.requestResponse10_000();
    }

    @Test
    @Override
    public void requestStream10_000() {
        assumeStressIsRequested();
        super.requestStream10_000();
    }
}
