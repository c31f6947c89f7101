package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Writes to a device that places them in any order, sent packet by packet. IB specification volume 1, 9.5: an
 * application may look at the bytes of a write when it is told of them, and not before.
 */
class UnorderedWritesTest {
    private static final int PSN = 0x100;
    private static final int MTU = 1024;
    private static final int NEVER_AGAIN = 31; // no retransmission during the test

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    private static int first(SoftSide side) {
        return side.memory.get(ValueLayout.JAVA_INT, Integer.BYTES);
    }

    /** Sends the first of two packets of a message, which asks for no answer, and waits until the device has it. */
    private void sendFirst(SoftSide side, PacketPeer peer) {
        Packet first = peer.packet(Opcode.WRITE_FIRST, PSN, MTU);
        first.length = 2 * MTU;
        first.ackRequest = false;
        peer.send(first);
        SoftSide other = new SoftSide(arena, side, side.cq, 0);
        try (PacketPeer behind = new PacketPeer(arena, other, PSN, NEVER_AGAIN)) {
            behind.send(behind.packet(Opcode.WRITE_ONLY, PSN, 0));
            behind.expect(Aeth.ACK, PSN);
        }
        other.closeQueuePair();
    }

    private void withPeer(Personality personality, BiConsumer<SoftSide, PacketPeer> test) {
        SoftSide side = new SoftSide(arena, SoftConfig.loopback().withPersonality(personality));
        try (PacketPeer peer = new PacketPeer(arena, side, PSN, NEVER_AGAIN)) {
            test.accept(side, peer);
        } finally {
            side.close();
        }
    }

    @Test
    void aDeviceWithOrderPlacesPacketsAsTheyCome() {
        withPeer(Personality.COMPLETE, (side, peer) -> {
            sendFirst(side, peer);
            assertThat(first(side)).isNotZero();
        });
    }

    @Test
    void aMessageIsPlacedBeforeItIsAcknowledged() {
        withPeer(Personality.UNORDERED, (side, peer) -> {
            sendFirst(side, peer);
            assertThat(first(side)).isZero();
            peer.send(peer.packet(Opcode.WRITE_LAST, PSN + 1, MTU));
            peer.expect(Aeth.ACK, PSN + 1);
            assertThat(first(side)).isNotZero();
        });
    }

    @Test
    void whatIsAcknowledgedByTheWayIsPlaced() {
        withPeer(Personality.UNORDERED, (side, peer) -> {
            sendFirst(side, peer);
            peer.send(peer.packet(Opcode.WRITE_LAST, PSN + 5, MTU)); // a gap: all before it is acknowledged
            peer.expect(Aeth.NAK_SEQUENCE, PSN + 1);
            assertThat(first(side)).isNotZero();
        });
    }

    @Test
    void aWriteToMemoryThatHasGoneIsRefused() {
        withPeer(Personality.UNORDERED, (side, peer) -> {
            sendFirst(side, peer);
            Packet last = peer.packet(Opcode.WRITE_LAST, PSN + 1, MTU);
            side.verbs.deregMr(side.mr.handle());
            peer.send(last);
            peer.expect(Aeth.NAK_REMOTE_ACCESS, PSN + 1);
            assertThat(first(side)).isZero();
            side.register();
        });
    }

    @Test
    void theLaterOfTwoWritesToAPlaceRemains() {
        withPeer(Personality.UNORDERED, (side, peer) -> {
            Packet earlier = peer.packet(Opcode.WRITE_ONLY, PSN, 2 * Integer.BYTES);
            earlier.ackRequest = false;
            peer.send(earlier);
            peer.payload().set(ValueLayout.JAVA_INT, Integer.BYTES, 4711);
            peer.send(peer.packet(Opcode.WRITE_ONLY, PSN + 1, 2 * Integer.BYTES));
            peer.expect(Aeth.ACK, PSN + 1);
            assertThat(first(side)).isEqualTo(4711);
        });
    }
}
