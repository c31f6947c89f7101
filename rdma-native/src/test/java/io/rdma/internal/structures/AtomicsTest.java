package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.types.AtomicCapability;
import io.rdma.verbs.FaultyDevice;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Structures on devices whose atomics are worth less than those of the software device. */
class AtomicsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FaultyDevice device = new FaultyDevice();
    private final RdmaResources resources = RdmaResources.open(device.device());

    @AfterEach
    void nothingIsLeft() {
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }

    private static void isNoAtomics(Throwable error) {
        assertThat(error)
                .isInstanceOfSatisfying(
                        StructureException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_ATOMICS));
    }

    @Test
    void aDeviceWithoutAtomicsHostsNothing() {
        long before = resources.registrationBudget().registered();
        device.atomics = AtomicCapability.NONE;
        assertThatThrownBy(() -> new HostedCounters(resources, 1))
                .satisfies(AtomicsTest::isNoAtomics)
                .hasMessageContaining("host it on another device");
        assertThat(resources.registrationBudget().registered()).isEqualTo(before);
        try (HostedRing ring = new HostedRing(resources, 64)) { // needs none
            assertThat(ring.poll()).isNull();
        }
    }

    @Test
    void whereAtomicsOfTheDeviceExcludeNotThoseOfTheProcessorTheHostOnlyReads() {
        device.atomics = AtomicCapability.HCA;
        try (HostedCounters counters = new HostedCounters(resources, 1);
                HostedRecords records = new HostedRecords(resources, RecordOptions.of(1, 8))) {
            assertThat(counters.get(0)).isZero();
            assertThatThrownBy(() -> counters.add(0, 1)).satisfies(AtomicsTest::isNoAtomics);
            assertThat(records.get(0).join()).isNull();
            assertThatThrownBy(() -> records.put(0, new byte[1]).join())
                    .isInstanceOf(CompletionException.class)
                    .satisfies(e -> isNoAtomics(e.getCause()))
                    .hasMessageContaining("make changes over a connection");
        }
    }

    @Test
    void aClientWhoseDeviceHasNoAtomicsOpensRingsAlone() {
        DeviceResources own = DeviceResources.of(resources);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        HostedCounters counters = new HostedCounters(resources, 1);
        HostedRing ring = new HostedRing(resources, 64);
        try (RdmaListener listener = RdmaListener.bind(
                own,
                ConnectionOptions.DEFAULT,
                AdmissionLimits.DEFAULT,
                new InetSocketAddress("127.0.0.1", 0),
                accepted::complete)) {
            Endpoint client = ConnectOutcome.of(own, ConnectionOptions.DEFAULT, listener.address())
                    .join()
                    .endpoint();
            Endpoint host = accepted.join().endpoint();
            StructureLocation ofCounters = counters.admit(host);
            device.atomics = AtomicCapability.NONE; // of the client's device, which here is the host's, too
            CompletableFuture<CounterClient> refused = new CompletableFuture<>();
            StructureOpening.counters(client, ofCounters, new OutcomeFuture<>(refused));
            assertThat(refused)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .satisfies(e -> isNoAtomics(e.getCause()))
                    .withMessageContaining("connect from another device");
            CompletableFuture<RingClient> opened = new CompletableFuture<>();
            StructureOpening.ring(client, ring.admit(host), new OutcomeFuture<>(opened));
            assertThat(opened).succeedsWithin(PATIENCE);
            device.atomics = AtomicCapability.HCA; // requests atomics, as most cards do
            CompletableFuture<CounterClient> admitted = new CompletableFuture<>();
            StructureOpening.counters(client, ofCounters, new OutcomeFuture<>(admitted));
            assertThat(admitted).succeedsWithin(PATIENCE);
            for (Endpoint endpoint : List.of(client, host)) {
                endpoint.close();
                endpoint.closed().join();
                endpoint.receives().discard();
            }
        }
        counters.close();
        ring.close();
    }

    @Test
    void whereTheyDoTheHostChanges() {
        try (HostedCounters counters = new HostedCounters(resources, 1);
                HostedRecords records = new HostedRecords(resources, RecordOptions.of(1, 8))) {
            assertThat(counters.add(0, 2)).isEqualTo(2);
            assertThat(records.put(0, new byte[1]).join()).isOne();
        }
    }
}
