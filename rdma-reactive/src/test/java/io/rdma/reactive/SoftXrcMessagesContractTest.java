package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class SoftXrcMessagesContractTest extends XrcMessagesContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }

    @Test
    void aDeviceWithoutThemRefusesEachEnd() {
        String without = "soft-iwarp0";
        assertRefused(RdmaXrcReceiver.create().device(without).bind());
        assertRefused(RdmaXrcServer.create().device(without).bind());
        assertRefused(RdmaXrcClient.create().device(without).port(1).connect());
    }

    private static void assertRefused(Mono<?> made) {
        assertThatThrownBy(made::block)
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> Assertions.assertThat(e.reason()).isEqualTo(Reason.DEVICE))
                .hasMessageContaining("soft-iwarp0 has no extended reliable connections");
    }
}
