package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SoftUnreliableConnectionContractTest extends UnreliableConnectionContract {
    private static final int MESSAGES = 400;

    private final SoftNetwork ofClient = SoftNetwork.create();
    private final SoftNetwork ofServer = SoftNetwork.create();

    @Override
    String device() {
        return ofClient.device();
    }

    @Override
    String serverDevice() {
        return ofServer.device();
    }

    @AfterEach
    void closeNetworks() {
        ofClient.close();
        ofServer.close();
    }

    /** Whatever the link does, each value arrives at most once and in order, and what is missing is counted. */
    private void assertEachIsReceivedOnceOrCounted(LinkFaults faults) {
        ofClient.setFaults(faults.withSeed(7));
        List<Integer> values = received(MESSAGES, ofClient::heal);
        assertThat(values).isSorted().doesNotHaveDuplicates();
        assertThat(values.size() + lost()).isEqualTo(MESSAGES + 1);
        assertThat(values).hasSizeGreaterThan(MESSAGES / 2);
    }

    @Test
    void lostPacketsAreLostMessages() {
        assertEachIsReceivedOnceOrCounted(LinkFaults.NONE.withLoss(0.3));
        assertThat(lost()).isGreaterThan(MESSAGES / 5);
    }

    @Test
    void packetsThatOvertakeAndRepeatSwapAndDoubleNoMessages() {
        assertEachIsReceivedOnceOrCounted(LinkFaults.NONE.withReordering(0.1).withDuplication(0.2));
        assertThat(lost()).isPositive();
    }

    @Test
    void corruptPacketsAreLostMessages() {
        assertEachIsReceivedOnceOrCounted(LinkFaults.NONE.withCorruption(0.2));
        assertThat(lost()).isPositive();
    }
}
