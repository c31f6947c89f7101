package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import io.rdma.types.AsyncEventType;
import io.rdma.types.PathMigrationState;
import io.rdma.types.WorkCompletionStatus;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SoftPathMigrationContractTest extends PathMigrationContract {
    private final SoftNetwork network = SoftNetwork.createWithTwoAddresses();

    @Override
    String device() {
        return network.device();
    }

    @Override
    void losePath() {
        setLost("127.0.0.1");
    }

    private void setLost(String address) {
        network.setFaults(InetAddress.ofLiteral(address), LinkFaults.NONE.withPartitioned(true));
    }

    @AfterEach
    void forget() {
        network.close();
    }

    @Test
    void aConnectionThatIsNotArmedFailsWithItsPath() {
        connect();
        losePath();
        postWrite(2);
        pair.expect(pair.queueA, 2, WorkCompletionStatus.RETRY_EXC_ERR);
        assertThat(events.await(0)).isFalse();
    }

    @Test
    void aConnectionFailsWhenItsAlternatePathIsLostToo() {
        connect();
        arm();
        losePath();
        setLost("127.0.0.2");
        postWrite(2);
        pair.expect(pair.queueA, 2, WorkCompletionStatus.RETRY_EXC_ERR);
        expectEvents(AsyncEventType.PATH_MIG, pair.a);
    }

    @Test
    void aPeerThatIsNotArmedReportsTheRequestAndStays() {
        connect();
        arm();
        pair.b.modify(rearm());
        pair.a.modify(QueuePairAttributes.change().pathMigState(PathMigrationState.MIGRATED));
        postWrite(2);
        pair.expect(pair.queueA, 2, WorkCompletionStatus.RETRY_EXC_ERR);
        assertThat(state(pair.b)).isEqualTo(PathMigrationState.REARM);
        AsyncEvent first = java.util.Objects.requireNonNull(events.take());
        assertThat(first.type()).isEqualTo(AsyncEventType.PATH_MIG);
        expectEvents(AsyncEventType.PATH_MIG_ERR, pair.b);
    }
}
