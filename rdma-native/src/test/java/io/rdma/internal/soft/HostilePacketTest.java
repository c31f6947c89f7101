package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Packets forged by a hostile peer. All are well-formed, with a right ICRC, and come from the address that the queue
 * pair is connected to. The answers must be those of the IB specification, volume 1, 9.7.4 and table 58. Memory outside
 * the region is never touched.
 */
@Tag("link")
class HostilePacketTest {
    private static final int PSN = 0x1000;
    private static final int ATTACKER_QPN = 0x4711;
    private static final int PATIENT = 20; // 4.3 s, eight times in a row, because the test itself answers
    private static final int MTU = 1024;
    private static final byte GUARD = 0x5a;

    private final Packet packet = new Packet();
    private final Packet answer = new Packet();
    private Arena arena;
    private UdpLink attacker;
    private InetSocketAddress victimAddress;
    private SoftSide victim;
    private MemorySegment payload;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        attacker = new UdpLink(SoftConfig.loopback(), new Counters());
        payload = arena.allocate(8192, 8);
        payload.fill((byte) 0x77);
        victim = new SoftSide(arena, SoftFaults.NONE);
        victim.memory.fill(GUARD);
        victimAddress = SoftAddress.of(victim.gid());
        victim.connect(SoftAddress.gid(attacker.local()), ATTACKER_QPN, PSN, PATIENT);
    }

    @AfterEach
    void close() {
        assertThat(victim.memory.asSlice(4096).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                .as("memory that no valid packet named")
                .containsOnly(GUARD);
        victim.close();
        attacker.close();
        arena.close();
    }

    private void send(int opcode, int psn, int bytes, Consumer<Packet> more) {
        packet.reset(opcode, victim.qp.qpNum(), psn & Psn.MASK);
        packet.ackRequest = true;
        packet.remoteAddress = victim.memory.address();
        packet.rkey = victim.mr.rkey();
        packet.length = bytes;
        packet.addPiece(payload.address(), bytes);
        more.accept(packet);
        attacker.send(packet, victimAddress);
        attacker.flush();
    }

    /** Returns the next answer of the victim. */
    private Packet answer() {
        for (int i = 0; i < 100; i++) {
            if (attacker.receive(answer) != null) {
                return answer;
            }
            attacker.await(100_000_000, true);
        }
        throw new AssertionError("the device did not answer within 10 s");
    }

    private void assertRefused(int syndrome) {
        assertThat(answer().opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(answer.syndrome).isEqualTo(syndrome);
    }

    /** Checks that the device is alive and that this queue pair works: a write of 8 bytes is acknowledged. */
    private void assertWorks(int psn) {
        send(Opcode.WRITE_ONLY, psn, 8, p -> {});
        assertThat(answer().opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(answer.syndrome >>> 5).isZero();
        assertThat(answer.psn).isEqualTo(psn);
    }

    @Test
    void aPacketForNoQueuePairGetsNoAnswer() {
        send(Opcode.WRITE_ONLY, PSN, 8, p -> p.destQpn ^= 1);
        assertWorks(PSN);
    }

    @Test
    void aPacketFromAnotherAddressGetsNoAnswer() {
        try (UdpLink third = new UdpLink(SoftConfig.loopback(), new Counters())) {
            packet.reset(Opcode.WRITE_ONLY, victim.qp.qpNum(), PSN);
            packet.remoteAddress = victim.memory.address() + 8192;
            packet.rkey = victim.mr.rkey();
            packet.length = 8;
            packet.addPiece(payload.address(), 8);
            third.send(packet, victimAddress);
            third.flush();
        }
        assertWorks(PSN);
    }

    @Test
    void aGapInTheSequenceCausesOneNak() {
        send(Opcode.WRITE_ONLY, PSN + 1000, 8, p -> {});
        assertRefused(Aeth.NAK_SEQUENCE);
        assertThat(answer.psn).isEqualTo(PSN);
        send(Opcode.WRITE_ONLY, PSN + 1001, 8, p -> {});
        assertWorks(PSN);
    }

    @Test
    void aWriteBeyondTheRegionIsARemoteAccessError() {
        send(Opcode.WRITE_ONLY, PSN, 8, p -> p.remoteAddress += SoftSide.SIZE - 4);
        assertRefused(Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void aWriteWhoseEndWrapsAroundIsARemoteAccessError() {
        send(Opcode.WRITE_FIRST, PSN, MTU, p -> {
            p.remoteAddress = -8;
            p.length = 0xffffffffL;
        });
        assertRefused(Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void aWriteThatAnnouncesMoreThanTheRegionIsARemoteAccessErrorAtItsFirstPacket() {
        send(Opcode.WRITE_FIRST, PSN, MTU, p -> {
            p.remoteAddress += 8192;
            p.length = SoftSide.SIZE;
        });
        assertRefused(Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void aGuessedKeyIsARemoteAccessError() {
        send(Opcode.WRITE_ONLY, PSN, 8, p -> p.rkey ^= 0x100);
        assertRefused(Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void aWriteThatCarriesMoreThanItAnnouncedIsInvalid() {
        send(Opcode.WRITE_ONLY, PSN, 512, p -> {
            p.remoteAddress += 8192;
            p.length = 8;
        });
        assertRefused(Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void aFirstPacketThatIsNoFullMtuIsInvalid() {
        send(Opcode.WRITE_FIRST, PSN, 100, p -> p.length = 2000);
        assertRefused(Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void aPacketLongerThanTheMtuIsInvalid() {
        send(Opcode.WRITE_ONLY, PSN, 2048, p -> p.remoteAddress += 8192);
        assertRefused(Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void aMiddleWithoutAFirstIsInvalid() {
        send(Opcode.SEND_MIDDLE, PSN, MTU, p -> {});
        assertRefused(Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void aSendInTheMiddleOfAWriteIsInvalid() {
        send(Opcode.WRITE_FIRST, PSN, MTU, p -> p.length = 2 * MTU);
        assertThat(answer().syndrome >>> 5).isZero();
        send(Opcode.SEND_LAST, PSN + 1, 8, p -> {});
        assertRefused(Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void anInvalidationOfARegionsKeyEndsTheReceive() {
        victim.receive(9, 0, 64);
        send(Opcode.SEND_ONLY_INV, PSN, 8, p -> p.invalidate = victim.mr.rkey());
        victim.expect(9, Ibv.WC_REM_INV_REQ_ERR);
        assertRefused(Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void aMisalignedAtomicIsInvalid() {
        send(Opcode.FETCH_ADD, PSN, 0, p -> p.remoteAddress += 4100);
        assertRefused(Aeth.NAK_INVALID_REQUEST);
    }

    /** In a region whose addresses begin elsewhere than its memory, both the address and the memory must be aligned. */
    @Test
    void anAtomicOfMisalignedMemoryIsInvalidAndTheDeviceLives() {
        Mr odd = victim.verbs.regMr(victim.pd, victim.memory.address() + 4, 64, 0, SoftSide.ACCESS);
        send(Opcode.FETCH_ADD, PSN, 0, p -> {
            p.remoteAddress = 8;
            p.rkey = odd.rkey();
        });
        assertRefused(Aeth.NAK_INVALID_REQUEST);
        revive();
        send(Opcode.COMPARE_SWAP, PSN, 0, p -> {
            p.remoteAddress = 4; // the memory is aligned, the address is not
            p.rkey = odd.rkey();
        });
        assertRefused(Aeth.NAK_INVALID_REQUEST);
        revive();
        assertWorks(PSN);
        victim.verbs.deregMr(odd.handle());
    }

    @Test
    void aReadOfMoreThanTheRegionIsARemoteAccessError() {
        send(Opcode.READ_REQUEST, PSN, 0, p -> p.length = 0xffffffffL);
        assertRefused(Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void answersComeInTheOrderOfTheRequests() {
        int pairs = 100;
        for (int i = 0; i < pairs; i++) {
            send(Opcode.WRITE_ONLY, PSN + 2 * i, 8, p -> {});
            send(Opcode.READ_REQUEST, PSN + 2 * i + 1, 0, p -> p.length = 8);
            if (i % 4 == 3) { // as many reads as the queue pair takes
                int before = answer().psn;
                while (before != PSN + 2 * i + 1) {
                    assertThat(answer().psn).isGreaterThan(before);
                    before = answer.psn;
                }
                assertThat(answer.opcode).isEqualTo(Opcode.READ_ONLY);
            }
        }
    }

    /**
     * The network may deliver a copy of a request after the peer has its answer and the memory has been deregistered.
     */
    @Test
    void aLateCopyOfAReadIsHarmless() {
        send(Opcode.READ_REQUEST, PSN, 0, p -> p.length = 8);
        assertThat(answer().opcode).isEqualTo(Opcode.READ_ONLY);
        int key = victim.mr.rkey();
        victim.verbs.deregMr(victim.mr.handle());
        send(Opcode.READ_REQUEST, PSN, 0, p -> {
            p.length = 8;
            p.rkey = key;
        });
        victim.register();
        assertWorks(PSN + 1);
    }

    @Test
    void answersToRequestsThatWereNeverSentAreIgnored() {
        for (int opcode :
                new int[] {Opcode.ACKNOWLEDGE, Opcode.READ_ONLY, Opcode.READ_FIRST, Opcode.ATOMIC_ACKNOWLEDGE}) {
            for (int syndrome : new int[] {Aeth.ACK, Aeth.NAK_SEQUENCE, Aeth.NAK_REMOTE_ACCESS, Aeth.RNR | 1}) {
                send(opcode, PSN + 7, Opcode.hasPayload(opcode) ? 64 : 0, p -> p.syndrome = syndrome);
            }
        }
        assertWorks(PSN);
        victim.send(1, Ibv.WR_SEND, victim, 0, 8); // the requester is unharmed
        assertThat(answer().opcode).isEqualTo(Opcode.SEND_ONLY);
        assertThat(answer.psn).isEqualTo(PSN);
        send(Opcode.ACKNOWLEDGE, PSN, 0, p -> p.syndrome = Aeth.ACK);
        victim.expect(1);
    }

    @Test
    void aReadAnswerLongerThanAskedForEndsTheQueuePairAndTouchesNothing() {
        victim.send(1, Ibv.WR_RDMA_READ, victim, 0, 16);
        assertThat(answer().opcode).isEqualTo(Opcode.READ_REQUEST);
        send(Opcode.READ_ONLY, PSN, 1024, p -> p.syndrome = Aeth.ACK);
        victim.expect(1, Ibv.WC_BAD_RESP_ERR);
        assertThat(victim.memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 16))
                .isEqualTo(GUARD);
    }

    /** Moves the queue pair back to RTS. A packet that is still in the socket may end it again meanwhile. */
    private void revive() {
        for (int i = 0; ; i++) {
            try {
                victim.reset();
                victim.connect(SoftAddress.gid(attacker.local()), ATTACKER_QPN, PSN, PATIENT);
                return;
            } catch (VerbsException e) {
                if (i == 1000) {
                    throw e;
                }
            }
        }
    }

    /** The device survives any field values, and works with another device afterwards. */
    @Test
    void theDeviceSurvivesAnyFields() {
        Random random = new Random(99);
        for (int i = 0; i < 20_000; i++) {
            int bytes = random.nextInt(4) == 0 ? random.nextInt(2048) : random.nextInt(16);
            int opcode = random.nextInt(32);
            packet.reset(opcode, victim.qp.qpNum(), PSN + random.nextInt(64) - 8 & Psn.MASK);
            packet.ackRequest = random.nextBoolean();
            packet.remoteAddress = random.nextInt(8) == 0 ? random.nextLong() : victim.memory.address() + 1_000_000;
            packet.rkey = random.nextBoolean() ? victim.mr.rkey() : random.nextInt();
            packet.length = random.nextInt() & 0xffffffffL;
            packet.syndrome = random.nextInt(256);
            packet.invalidate = random.nextBoolean() ? victim.mr.rkey() : random.nextInt();
            packet.compare = random.nextLong();
            packet.swapAdd = random.nextLong();
            packet.addPiece(payload.address(), bytes);
            attacker.send(packet, victimAddress);
            attacker.flush();
            if (i % 200 == 0) { // a request may have ended the queue pair: reconnect, as a server accepts a new client
                revive();
                while (attacker.receive(answer) != null) {
                    // answers are discarded
                }
            }
        }
        victim.reset();
        try (Arena own = Arena.ofShared()) {
            SoftSide other = new SoftSide(own, SoftFaults.NONE);
            victim.connect(other);
            other.connect(victim);
            other.send(1, Ibv.WR_RDMA_WRITE, victim, 0, 4096);
            other.expect(1);
            other.close();
        }
    }
}
