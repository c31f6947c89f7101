package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.TestDevice;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairType;
import org.junit.jupiter.api.Test;

/** Queue pairs and receivers of XRC on a device with small limits and no inline data. */
class QueuePairCreationTest {
    private static final String SMALL = "soft-small0";

    private static QueuePairCapacity created(String name, QueuePairType type, QueuePairCapacity wanted) {
        try (DeviceContext device = TestDevice.assumed(name).open();
                ProtectionDomain domain = device.allocateProtectionDomain();
                CompletionQueue queue = device.createCompletionQueue(8, null);
                QueuePair made = QueuePairCreation.create(device, domain, type, queue, null, wanted)) {
            return made.capacity();
        }
    }

    @Test
    void inlineDataIsDoneWithoutWhereTheDeviceHasNone() {
        assertThat(created("soft0", QueuePairType.RC, QueuePairCapacity.DEFAULT).maxInlineData())
                .isEqualTo(QueuePairCapacity.DEFAULT.maxInlineData());
        for (QueuePairType type : new QueuePairType[] {QueuePairType.RC, QueuePairType.UD}) {
            assertThat(created(SMALL, type, QueuePairCapacity.DEFAULT).maxInlineData())
                    .isZero();
        }
    }

    @Test
    void aCapacityBeyondTheLimitsIsRefusedWithTheLimitAndTheOption() {
        assertRefused(QueuePairCapacity.DEFAULT.withMaxSendWr(257), "at most 256 requests in a send queue, not 257");
        assertRefused(QueuePairCapacity.DEFAULT.withMaxReceiveWr(300), "MaxReceiveWr");
        assertRefused(QueuePairCapacity.DEFAULT.withMaxSendSge(3), "at most 2 entries of a send, not 3");
        assertRefused(QueuePairCapacity.DEFAULT.withMaxReceiveSge(3), "MaxReceiveSge");
    }

    @Test
    void moreReceivesOfXrcThanTheDeviceHasAreRefusedWithTheLimitAndTheOption() {
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed(SMALL), ResourceOptions.DEFAULT)) {
            assertThatThrownBy(() -> XrcConnections.receiver(
                            resources, ConnectionOptions.DEFAULT.withReceiveBuffers(257, 64), null))
                    .isInstanceOfSatisfying(
                            RdmaConnectException.class,
                            e -> assertThat(e.reason()).isEqualTo(RdmaConnectException.Reason.DEVICE))
                    .hasMessageContaining(SMALL + " has at most 256 receives in a shared receive queue, not 257")
                    .hasMessageContaining("receiveBuffers");
            XrcConnections.receiver(resources, ConnectionOptions.DEFAULT.withReceiveBuffers(256, 64), null)
                    .close();
        }
    }

    private static void assertRefused(QueuePairCapacity wanted, String why) {
        assertThatThrownBy(() -> created(SMALL, QueuePairType.RC, wanted))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining(SMALL)
                .hasMessageContaining(why)
                .hasCauseInstanceOf(VerbsException.class);
    }
}
