package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.types.AccessFlag;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Memory that is registered for a connection while the connection ends. The end closes its regions and its domain. */
class EndedMemoryTest extends FaultyConnectedContract {
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE);
    private static final int LARGE = 1 << 16;

    private void endDuringNext(String call) {
        faults.nextRuns.put(call, () -> {
            client.close();
            assertThat(client.closed()).succeedsWithin(PATIENCE);
            throw closed();
        });
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("ProtectionDomain is closed");
    }

    @Test
    void anAllocationSaysThatTheConnectionIsClosed() {
        connect(small());
        endDuringNext("regMr");
        assertThatThrownBy(() -> client.memory().allocate(8, RIGHTS)).isInstanceOf(ConnectionClosedException.class);
    }

    /** The close waits for the thread that registers, so it cannot close the domain before. */
    @Test
    void aLargeMessageSaysThatTheConnectionIsClosed() {
        connect(small().withMaxMessageSize(LARGE));
        try (RegisteredBuffer large = client.memory().allocateBuffer(LARGE)) {
            faults.nextRuns.put("regMr", () -> {
                client.close();
                throw closed();
            });
            assertThat(submit(client, WorkRequest.send(large, false)).ended().error)
                    .isInstanceOf(ConnectionClosedException.class);
        }
    }

    @Test
    void anErrorOfTheCallerIsReportedAsItIs() {
        connect(small());
        faults.nextRuns.put("regMr", () -> {
            throw closed();
        });
        assertThatThrownBy(() -> client.memory().allocate(8, RIGHTS)).isExactlyInstanceOf(IllegalStateException.class);
    }
}
