package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.connect.DatagramBinding;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.soft.SoftNetwork;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Datagrams that no honest device sends. The endpoint drops them and continues to work. */
@Tag("link")
class HostileDatagramTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ATTACKER_QPN = 0x4711;

    private final Packet packet = new Packet();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment payload = arena.allocate(16_384, 8);
    private UdpLink attacker;
    private DeviceResources resources;
    private Endpoint victim;
    private InetSocketAddress address;

    @BeforeEach
    void bind() {
        attacker = new UdpLink(SoftConfig.loopback(), new Counters());
        resources = new DeviceResources(RdmaDevices.named("soft0"));
        victim = DatagramBinding.bind(
                        resources,
                        ConnectionOptions.DEFAULT.withReceiveBuffers(4, 64),
                        new InetSocketAddress("127.0.0.1", 0))
                .endpoint()
                .endpoint();
        address = SoftAddress.of(
                resources.context().queryGidTable().getFirst().gid().bytes());
    }

    @AfterEach
    void close() {
        resources.close();
        attacker.close();
        arena.close();
    }

    private void send(int bytes, int qkey) {
        packet.reset(Opcode.SEND_ONLY, victim.qpNumber(), 1);
        packet.transport = Opcode.UD;
        packet.qkey = qkey;
        packet.srcQpn = ATTACKER_QPN;
        packet.addPiece(payload.address(), bytes);
        attacker.send(packet, address);
        attacker.flush();
    }

    @Test
    void aDatagramLongerThanAnyMtuOrWithAnotherKeyIsDropped() {
        Long before = SoftNetwork.ofThisProcess().counters().get("malformed_pkts");
        for (int i = 0; i < 10; i++) { // more datagrams than buffers
            send(4097 + 100 * i, DatagramAddress.UDP_QKEY);
            send(8, DatagramAddress.UDP_QKEY + 1);
        }
        await().atMost(PATIENCE).until(() -> {
            send(13, DatagramAddress.UDP_QKEY);
            return !victim.receives().isEmpty();
        });
        assertThat(victim.isClosing()).isFalse();
        try (ReceivedDatagram first =
                (ReceivedDatagram) Objects.requireNonNull(victim.receives().poll())) {
            assertThat(first.length()).isEqualTo(13);
            assertThat(first.source().qpNumber()).isEqualTo(ATTACKER_QPN);
        }
        assertThat(SoftNetwork.ofThisProcess().counters().get("malformed_pkts")).isGreaterThan(before);
    }
}
