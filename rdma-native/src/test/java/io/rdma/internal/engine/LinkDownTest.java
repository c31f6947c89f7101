package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.types.AccessFlag;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.MemoryRegion;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Link that goes down under a connection, while the TCP connection of the exchange stays. Only the device notices,
 * after its retries. The test runs on {@code soft0} alone: two queue pairs of one rdma_rxe reach each other without a
 * link.
 */
class LinkDownTest {
    private final AtomicBoolean down = new AtomicBoolean();

    @Test
    void everyOperationEndsInBoundedTimeAndTheServerLivesOn() throws Exception {
        ConnectionOptions options = ConnectionOptions.DEFAULT.withTimeout(15).withRetryCnt(7); // 134 ms, eight times
        BlockingQueue<EstablishedConnection> accepted = new LinkedBlockingQueue<>();
        try (DeviceResources servers = new DeviceResources(DeviceOf.only(FaultySoft.create(down::get)));
                DeviceResources clients = new DeviceResources(DeviceOf.only(FaultySoft.create(down::get)));
                RdmaListener listener = RdmaListener.bind(
                        servers,
                        options,
                        AdmissionLimits.DEFAULT,
                        new InetSocketAddress("127.0.0.1", 0),
                        accepted::add)) {
            Endpoint client =
                    ConnectedContract.connected(clients, options, listener).endpoint();
            Endpoint server = accepted.poll(60, TimeUnit.SECONDS).endpoint();
            assertWrites(client, server);
            MemoryRegion there = ConnectedContract.everything(server, 8);
            down.set(true);
            List<ConnectedContract.Counted> operations = new ArrayList<>();
            RegisteredBuffer source = ConnectedContract.acquire(client).limit(8);
            for (int i = 0; i < 300; i++) { // more than the send queue holds
                operations.add(ConnectedContract.submit(client, WorkRequest.write(source, there.remote())));
            }
            source.close();
            operations.forEach(ConnectedContract.Counted::ended);
            client.closed().join();
            assertThat(client.failure())
                    .isInstanceOfSatisfying(
                            WorkCompletionException.class,
                            e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR));
            assertThat(operations).allMatch(o -> o.ends.get() == 1 && o.error != null);
            server.closed().join(); // the exchange's TCP connection reports the end
            assertThat(server.failure()).as("what it received is not whole").isNotNull();
            down.set(false);
            Endpoint again =
                    ConnectedContract.connected(clients, options, listener).endpoint();
            assertWrites(again, accepted.poll(60, TimeUnit.SECONDS).endpoint());
            for (Endpoint one : List.of(client, server)) {
                assertThat(one.inFlight()).isZero();
                assertThat(one.sendBuffers().leased()).isZero();
                assertThat(one.receives().outstanding()).isZero();
            }
        }
    }

    /** Sends nothing on either side, so that only the probes can notice the loss. */
    @Test
    void aLinkThatGoesDownUnderAQuietConnectionIsNoticed() throws Exception {
        ConnectionOptions options = ConnectionOptions.DEFAULT.withProbeInterval(Duration.ofMillis(100));
        BlockingQueue<EstablishedConnection> accepted = new LinkedBlockingQueue<>();
        try (DeviceResources servers = new DeviceResources(DeviceOf.only(FaultySoft.create(down::get)));
                DeviceResources clients = new DeviceResources(DeviceOf.only(FaultySoft.create(down::get)));
                RdmaListener listener = RdmaListener.bind(
                        servers,
                        options,
                        AdmissionLimits.DEFAULT,
                        new InetSocketAddress("127.0.0.1", 0),
                        accepted::add)) {
            Endpoint client =
                    ConnectedContract.connected(clients, options, listener).endpoint();
            Endpoint server = accepted.poll(60, TimeUnit.SECONDS).endpoint();
            down.set(true);
            client.closed().get(60, TimeUnit.SECONDS);
            server.closed().get(60, TimeUnit.SECONDS);
            assertThat(List.of(client.failure(), server.failure()))
                    .as("one noticed, and its exchange told the other, if that did not notice, too")
                    .anyMatch(e -> e instanceof WorkCompletionException failed
                            && failed.status() == WorkCompletionStatus.RETRY_EXC_ERR);
        }
    }

    private static void assertWrites(Endpoint from, Endpoint to) {
        MemoryRegion there = to.memory().allocate(8, Set.of(AccessFlag.REMOTE_WRITE));
        try (RegisteredBuffer source = ConnectedContract.acquire(from).limit(8)) {
            assertThat(ConnectedContract.submit(from, WorkRequest.write(source, there.remote()))
                            .ended()
                            .error)
                    .isNull();
        }
    }
}
