package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.FaultyDevice;
import io.rdma.verbs.QueuePairType;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trial of an unreliable queue pair on a device that is short of memory, or has none. */
class UnreliableTrialTest {
    private final FaultyDevice faults = new FaultyDevice();
    private final DeviceResources resources = new DeviceResources(faults.device());

    @AfterEach
    void close() {
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }

    private void bind() {
        RdmaListener.bind(
                        resources,
                        ConnectionOptions.DEFAULT.withQueuePairType(QueuePairType.UC),
                        AdmissionLimits.DEFAULT,
                        new InetSocketAddress("127.0.0.1", 0),
                        connection -> {})
                .close();
    }

    private void refuse(int errno) {
        faults.nextRuns.put("createQp", () -> {
            throw new VerbsException("ibv_create_qp", errno, null);
        });
    }

    @Test
    void aDeviceThatIsShortOfMemoryIsAskedAgainAndThenNoMore() {
        refuse(Errno.ENOMEM);
        assertThatThrownBy(this::bind)
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("cannot be tried")
                .hasMessageContaining("ENOMEM");
        bind();
        refuse(Errno.ENOMEM);
        bind();
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.EOPNOTSUPP, Errno.EINVAL, Errno.ENOSYS})
    void aDeviceWithoutSuchQueuePairsIsAskedOnce(int errno) {
        refuse(errno);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(this::bind)
                    .isInstanceOf(RdmaConnectException.class)
                    .hasMessageContaining("makes no such queue pair")
                    .hasMessageContaining("leave queuePairType out");
        }
    }

    @Test
    void aCloseWaitsForTheTrial() {
        faults.nextRuns.put("createQp", resources::close);
        assertThatThrownBy(this::bind)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("set-up cannot close the resources");
    }
}
