package io.rdma.internal.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A joined packet, and those that it stands for. Their opcodes are those of a message of as many packets, IB
 * specification volume 1, table 38.
 */
class JoinedPacketTest {
    private static final int MTU = 1024;

    @ParameterizedTest
    @CsvSource({
        "0x04, 0x00, 0x01, 0x02", // SEND only: first, middle, last
        "0x05, 0x00, 0x01, 0x03", // with immediate data, which the last has
        "0x17, 0x00, 0x01, 0x16", // with invalidation
        "0x0a, 0x06, 0x07, 0x08", // WRITE only
        "0x0b, 0x06, 0x07, 0x09",
        "0x10, 0x0d, 0x0e, 0x0f", // read response only
        "0x00, 0x00, 0x01, 0x01", // SEND first: the message goes on
        "0x06, 0x06, 0x07, 0x07",
        "0x0d, 0x0d, 0x0e, 0x0e",
        "0x01, 0x01, 0x01, 0x01", // SEND middle
        "0x07, 0x07, 0x07, 0x07",
        "0x0e, 0x0e, 0x0e, 0x0e",
        "0x02, 0x01, 0x01, 0x02", // SEND last
        "0x03, 0x01, 0x01, 0x03",
        "0x16, 0x01, 0x01, 0x16",
        "0x08, 0x07, 0x07, 0x08",
        "0x09, 0x07, 0x07, 0x09",
        "0x0f, 0x0e, 0x0e, 0x0f",
    })
    void opcodesAreThoseOfAsManyPackets(int joined, int first, int middle, int last) {
        Packet packet = new Packet();
        packet.reset(joined, 7, 9);
        packet.mtu = MTU;
        packet.payload = 3 * MTU;
        List<Integer> opcodes = new ArrayList<>();
        Packet part = new Packet();
        for (int i = 0; i < packet.packets(); i++) {
            packet.split(i, part);
            opcodes.add(part.opcode);
        }
        assertThat(opcodes).containsExactly(first, middle, last);
    }

    @Test
    void packetThatStandsForItselfIsItsOnlyPart() {
        Packet packet = new Packet();
        packet.reset(Opcode.SEND_ONLY, 1, 0);
        packet.transport = Opcode.UD;
        packet.qkey = 0x80010000;
        packet.srcQpn = 1;
        packet.addPiece(4096, 256);
        Packet part = new Packet();
        packet.split(0, part);
        assertThat(part).usingRecursiveComparison().isEqualTo(packet);
    }

    @Test
    void lastPartHasWhatEndsAMessage() {
        Packet packet = new Packet();
        packet.reset(Opcode.SEND_ONLY_IMM, 7, 0xffffff);
        packet.ackRequest = true;
        packet.solicited = true;
        packet.imm = 5;
        packet.mtu = MTU;
        packet.payload = MTU + 1;
        Packet part = new Packet();
        packet.split(0, part);
        assertThat(part.ackRequest || part.solicited).isFalse();
        packet.split(1, part);
        assertThat(part.ackRequest && part.solicited).isTrue();
        assertThat(part.psn).as("the one behind 0xffffff").isZero();
        assertThat(part.imm).isEqualTo(5);
    }

    /** The bytes of the parts, one behind the other, are those of the joined packet, however its memory is cut. */
    @Test
    void payloadIsThatOfThePartsInOrder() {
        Random random = new Random(3);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Packet.LONGEST_JOINED);
            random.ints(Packet.LONGEST_JOINED / 4)
                    .forEach(i ->
                            memory.setAtIndex(ValueLayout.JAVA_INT, Math.floorMod(i, Packet.LONGEST_JOINED / 4), i));
            MemorySegment copy = arena.allocate(Packet.LONGEST_JOINED);
            ByteBuffer frame = ByteBuffer.allocateDirect(MTU + 128);
            long base = MemorySegment.ofBuffer(frame).address();
            Packet packet = new Packet();
            Packet part = new Packet();
            Packet decoded = new Packet();
            for (int round = 0; round < 200; round++) {
                packet.reset(Opcode.WRITE_ONLY, 7, random.nextInt());
                packet.mtu = MTU;
                int length = 0;
                for (int i = random.nextInt(32); i >= 0; i--) {
                    int piece = random.nextInt(2000);
                    packet.addPiece(memory.address() + length, piece);
                    length += piece;
                }
                int at = 0;
                for (int i = 0; i < packet.packets(); i++) {
                    packet.split(i, part);
                    int bytes = PacketCodec.encode(part, frame, base, 0);
                    assertThat(PacketCodec.decode(decoded, frame, base, 0, bytes))
                            .isTrue();
                    assertThat(decoded.psn).isEqualTo(packet.psn + i & Psn.MASK);
                    decoded.copyOut(0, copy.address() + at, decoded.payload);
                    at += decoded.payload;
                }
                assertThat(at).isEqualTo(length);
                assertThat(copy.asSlice(0, length).mismatch(memory.asSlice(0, length)))
                        .isEqualTo(-1);
                int dropped = random.nextInt(packet.packets());
                int first = packet.psn;
                packet.skip(dropped);
                assertThat(packet.psn).isEqualTo(first + dropped & Psn.MASK);
                assertThat(packet.payload).isEqualTo(length - dropped * MTU);
                packet.copyOut(0, copy.address(), packet.payload);
                assertThat(copy.asSlice(0, packet.payload).mismatch(memory.asSlice(dropped * MTU, packet.payload)))
                        .isEqualTo(-1);
                copy.fill((byte) 0);
            }
        }
    }
}
