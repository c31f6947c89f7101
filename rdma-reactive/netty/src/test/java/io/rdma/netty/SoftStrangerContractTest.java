package io.rdma.netty;

import io.rdma.connect.ConnectMethod;
import org.junit.jupiter.api.Test;

class SoftStrangerContractTest extends StrangerContract {
    @Override
    String device() {
        return "soft0";
    }

    @Test
    void serverOfRdmaCmRefusesAPeerOfThePlainProtocol() throws Exception {
        assertRefusesThePlainProtocol(ConnectMethod.RDMA_CM);
    }
}
