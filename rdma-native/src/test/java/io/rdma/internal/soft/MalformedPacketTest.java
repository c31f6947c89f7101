package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.link.ChannelSocket;
import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutations of valid packets, from the peer that a queue pair is connected to and from a stranger: truncated or
 * extended, with flipped bits, forged numbers, keys, lengths or opcodes, or with random bytes. Most have a right ICRC,
 * so that the device processes them further. The device survives and allocates nothing for them, and another connection
 * on it is not affected.
 */
@Tag("link")
class MalformedPacketTest {
    private static final long SEED = 20_261_121;
    private static final int PSN = 0xfffff0; // wraps soon
    private static final int ATTACKER_QPN = 0x4711;
    private static final int ROUND = 10_000;
    private static final int RECEIVES = 64;
    private static final int RECEIVE_BYTES = 1024;

    private final Random random = new Random(SEED);
    private final Packet packet = new Packet();
    private final Icrc icrc = new Icrc(LinkSocket.MAX_DATAGRAM + 64);
    private Arena arena;
    private LinkSocket peer;
    private LinkSocket stranger;
    private SoftSide victim;
    private Thread deviceThread;
    private SoftSide bystander;
    private SoftSide remote;
    private UdpAddress victimAddress;
    private MemorySegment payload;
    private long exchanged;

    @BeforeEach
    void connect() throws IOException {
        arena = Arena.ofShared();
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
        peer = new ChannelSocket(anyPort);
        stranger = new ChannelSocket(anyPort);
        payload = arena.allocate(4096, 8);
        payload.fill((byte) 0x77);
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        victim = new SoftSide(arena, SoftFaults.NONE);
        deviceThread = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread) && thread.getName().equals("rdma-soft0"))
                .findFirst()
                .orElseThrow();
        Cq completions = victim.verbs.createCq(victim.context, 64, 0, 0);
        bystander = new SoftSide(arena, SoftFaults.NONE, victim, completions);
        remote = new SoftSide(arena, SoftFaults.NONE); // a device of its own, so that they communicate over UDP
        bystander.connect(remote);
        remote.connect(bystander);
        victimAddress = new UdpAddress(SoftAddress.of(victim.gid()));
        revive();
    }

    @AfterEach
    void close() {
        remote.close();
        bystander.closeQueuePair();
        victim.verbs.destroyCq(bystander.cq.handle());
        victim.close();
        peer.close();
        stranger.close();
        arena.close();
    }

    @Test
    void fiftyThousandAreDropped() throws IOException {
        attack(50_000);
    }

    @Test
    @Tag("stress")
    void aMillionAreDropped() throws IOException {
        attack(1_000_000);
    }

    private void attack(int packets) throws IOException {
        send(ROUND); // loads the classes
        Map<String, Long> before = victim.verbs.counters();
        long allocated;
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ObjectAllocationSample").with("throttle", "10000/s");
            recording.start();
            send(packets);
            recording.stop();
            allocated = allocatedByTheDevice(recording);
        }
        assertThat(allocated / packets)
                .as("bytes that the device allocates for a packet, of which an object has 16 or more")
                .isLessThan(16);
        Map<String, Long> after = victim.verbs.counters();
        for (String reason : new String[] {"malformed_pkts", "icrc_err", "unknown_qp_pkts", "wrong_peer_pkts"}) {
            assertThat(after.get(reason) - before.get(reason)).as(reason).isGreaterThan(packets / 200);
        }
        assertThat(deviceThread.isAlive()).isTrue();
    }

    /**
     * Returns the bytes that the device's thread allocated, but for those of the linker. The linker makes a slice of
     * the segment for {@code errno} in each call, unless the compiler has inlined it. The result is an estimate: an
     * event stands for all that the thread allocated since the one before, which is about half a megabyte.
     */
    private long allocatedByTheDevice(Recording recording) throws IOException {
        Path file = Files.createTempFile("allocations", ".jfr");
        try {
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getThread("eventThread").getJavaThreadId() == deviceThread.threadId())
                    .filter(event -> !event.getClass("objectClass").getName().startsWith("jdk.internal.foreign."))
                    .mapToLong(event -> event.getLong("weight"))
                    .sum();
        } finally {
            Files.delete(file);
        }
    }

    private void send(int packets) {
        for (int i = 0; i < packets; i++) {
            send(random.nextInt(8) == 0 ? stranger : peer);
            if (i % 64 == 63) { // a packet may have ended the queue pair: reconnect, as a server accepts a new client
                revive();
            }
            if (i % 5000 == 0) {
                exchange(i);
            }
        }
        exchange(packets);
    }

    /** Uses the other connection of the device. Each request happens once, and nothing but these requests completes. */
    private void exchange(int mark) {
        for (int i = 0; i < 10; i++) {
            bystander.send(mark, Ibv.WR_ATOMIC_FETCH_AND_ADD, remote, 0, Long.BYTES);
            bystander.expect(mark);
            assertThat(remote.memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(++exchanged);
        }
        assertThat(bystander.poll()).as("completions of nothing").isZero();
        assertThat(remote.poll()).as("completions of nothing").isZero();
    }

    /** Checks that only receives of the victim have completed. Then moves its queue pair back to RTS. */
    private void revive() {
        for (int tries = 0; ; tries++) {
            while (victim.poll() == 1) {
                long wc = victim.completion();
                assertThat(Wc.wrId(wc)).isBetween(1000L, 1000L + RECEIVES);
                if (Wc.status(wc) == Ibv.WC_SUCCESS) {
                    assertThat(Wc.byteLen(wc)).isBetween(0, 1 << 20);
                }
            }
            try {
                victim.reset();
                victim.connect(SoftAddress.gid(peer.local()), ATTACKER_QPN, PSN);
                for (int i = 0; i < RECEIVES; i++) {
                    victim.receive(1000 + i, 4096, RECEIVE_BYTES);
                }
                break;
            } catch (VerbsException | AssertionError e) { // a packet that was still in the socket ended it again
                if (tries == 1000) {
                    throw e;
                }
            }
        }
        UdpAddress from = new UdpAddress();
        while (peer.receive(from) >= 0) {
            // answers are discarded
        }
    }

    private void send(LinkSocket from) {
        ByteBuffer memory = from.memory();
        int at = from.frame();
        int length = valid(memory, at);
        int kind = random.nextInt(16);
        switch (kind) {
            case 0 -> length = random.nextInt(length + 1);
            case 1 -> length = length / 4 * random.nextInt(5) & ~3;
            case 2 -> { // longer than announced
                int more = 4 * (1 + random.nextInt(8));
                memory.limit(memory.capacity()).put(at + length, new byte[more]);
                length += more;
            }
            case 3 -> {
                length = random.nextInt(300);
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                memory.limit(memory.capacity()).put(at, bytes);
            }
            case 4 -> memory.put(at, (byte) random.nextInt()); // opcode
            case 5 -> memory.putInt(at + 4, random.nextInt()); // destination
            case 6 -> memory.putInt(at + 8, PSN + random.nextInt(64) - 32 & Psn.MASK);
            case 7 -> memory.put(at + 1, (byte) random.nextInt()); // flags, pad, version
            default -> {
                for (int i = random.nextInt(8); i >= 0; i--) {
                    int where = at + random.nextInt(Math.min(length, 48));
                    memory.put(where, (byte) (memory.get(where) ^ 1 << random.nextInt(8)));
                }
            }
        }
        if (length >= 12 && kind != 15) {
            int crc = icrc.compute(memory, at, length & ~3, new UdpAddress(from.local()), victimAddress, 0);
            memory.putInt(at + (length & ~3), Integer.reverseBytes(crc));
        }
        from.send(length + Icrc.BYTES, victimAddress);
    }

    private int valid(ByteBuffer memory, int at) {
        int opcode = random.nextInt(Opcode.FETCH_ADD + 1);
        packet.reset(opcode, victim.qp.qpNum(), PSN + random.nextInt(8) & Psn.MASK);
        packet.ackRequest = random.nextBoolean();
        packet.remoteAddress = victim.memory.address() + 65_536 + random.nextInt(1 << 19);
        packet.rkey = random.nextInt(8) == 0 ? random.nextInt() : victim.mr.rkey();
        packet.length = random.nextInt(8) == 0 ? random.nextInt() & 0xffffffffL : random.nextInt(2048);
        packet.syndrome = random.nextInt(256);
        packet.compare = random.nextLong();
        packet.swapAdd = random.nextLong();
        if (Opcode.hasPayload(opcode)) {
            packet.addPiece(payload.address(), random.nextInt(4) == 0 ? random.nextInt(2048) : random.nextInt(64));
        }
        memory.order(ByteOrder.BIG_ENDIAN);
        return PacketCodec.encode(
                packet,
                memory,
                MemorySegment.ofBuffer(memory.duplicate().clear()).address(),
                at);
    }
}
