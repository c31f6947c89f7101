package io.rdma.internal.soft;

import static io.rdma.internal.ibv.MemoryPlacement.ACCESS_FLUSH_GLOBAL;
import static io.rdma.internal.ibv.MemoryPlacement.ACCESS_FLUSH_PERSISTENT;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_GLOBAL;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_MR;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_PERSISTENT;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_RANGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers to FLUSH and ATOMIC WRITE of a peer that repeats them, or that breaks their rules, packet by packet. */
@Tag("link")
class HostilePlacementTest {
    private static final int PSN = 0x1000;
    private static final int PATIENT = 20;

    private Arena arena;
    private SoftSide side;
    private PacketPeer peer;

    @TempDir
    private Path folder;

    @BeforeEach
    void connect() {
        connect(SoftConfig.loopback());
    }

    private void connect(SoftConfig config) {
        arena = Arena.ofShared();
        int access = SoftSide.ACCESS & (config.personality().hasPlacement() ? -1 : ~ACCESS_FLUSH_GLOBAL);
        side = new SoftSide(arena, config, access);
        peer = new PacketPeer(arena, side, PSN, PATIENT);
    }

    @AfterEach
    void close() {
        side.close();
        peer.close();
        arena.close();
    }

    private void atomicWrite(int psn, long value, Consumer<Packet> more) {
        Packet packet = peer.packet(Opcode.ATOMIC_WRITE, psn, 0);
        packet.length = Long.BYTES;
        packet.swapAdd = value;
        more.accept(packet);
        peer.send(packet);
    }

    private void flush(int psn, int header, Consumer<Packet> more) {
        Packet packet = peer.packet(Opcode.FLUSH, psn, 0);
        packet.length = 64;
        packet.placement = header;
        more.accept(packet);
        peer.send(packet);
    }

    private void expectAnswer(int psn) {
        Packet got = peer.answer();
        assertThat(got.opcode).isEqualTo(Opcode.READ_ONLY);
        assertThat(got.psn).isEqualTo(psn);
        assertThat(got.payload).isZero();
        assertThat(got.syndrome).isEqualTo(Aeth.ACK);
    }

    private long memory() {
        return side.memory.get(ValueLayout.JAVA_LONG, 0);
    }

    @Test
    void aRepeatedAtomicWriteIsAnsweredAgainButNotDoneAgain() {
        atomicWrite(PSN, 0x0102030405060708L, p -> {});
        expectAnswer(PSN);
        assertThat(memory()).as("in the byte order of this host").isEqualTo(0x0102030405060708L);
        atomicWrite(PSN + 1, 2, p -> {});
        expectAnswer(PSN + 1);
        atomicWrite(PSN, 0x0102030405060708L, p -> {});
        expectAnswer(PSN);
        assertThat(memory()).isEqualTo(2);
        flush(PSN + 2, FLUSH_GLOBAL, p -> {});
        expectAnswer(PSN + 2);
        flush(PSN + 2, FLUSH_GLOBAL, p -> {});
        expectAnswer(PSN + 2);
        peer.send(peer.packet(Opcode.WRITE_ONLY, PSN + 3, 8));
        peer.expect(Aeth.ACK, PSN + 3);
    }

    @Test
    void theAcknowledgeOfARepeatedWriteNeverCoversALaterFlush() {
        peer.send(peer.packet(Opcode.WRITE_ONLY, PSN, 8));
        peer.expect(Aeth.ACK, PSN);
        flush(PSN + 1, FLUSH_GLOBAL, p -> {});
        expectAnswer(PSN + 1);
        peer.send(peer.packet(Opcode.WRITE_ONLY, PSN, 8));
        peer.expect(Aeth.ACK, PSN);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, 9, 16, 0xffffffffL})
    void anAtomicWriteAnnouncesEightBytes(long length) {
        atomicWrite(PSN, -1, p -> p.length = length);
        peer.expect(Aeth.NAK_INVALID_REQUEST, PSN);
        assertThat(memory()).isNotEqualTo(-1);
    }

    @Test
    void anAtomicWriteIsAligned() {
        atomicWrite(PSN, -1, p -> p.remoteAddress += 4);
        peer.expect(Aeth.NAK_INVALID_REQUEST, PSN);
        assertThat(memory()).isNotEqualTo(-1);
    }

    @Test
    void anAtomicWriteWithMoreOrFewerBytesIsDropped() {
        atomicWrite(PSN, -1, p -> p.addPiece(peer.payload().address(), 8));
        atomicWrite(PSN, 5, p -> {});
        expectAnswer(PSN);
        assertThat(memory()).isEqualTo(5);
    }

    @Test
    void anAtomicWriteNeedsItsKey() {
        atomicWrite(PSN, -1, p -> p.rkey ^= 0x100);
        peer.expect(Aeth.NAK_REMOTE_ACCESS, PSN);
    }

    /** The processor stores into the memory, which the application may unmap at that moment. */
    @Test
    void anAtomicWriteIntoOnDemandMemoryNeedsTheRightToAtomics() {
        assumeTrue(Personality.COMPLETE.hasOnDemandPaging(), "this system has no paging on demand");
        long address = side.memory.address();
        int access = Ibv.ACCESS_ON_DEMAND | Ibv.ACCESS_LOCAL_WRITE | Ibv.ACCESS_REMOTE_WRITE;
        Mr paged = side.verbs.regMr(side.pd, address, SoftSide.SIZE, address, access);
        atomicWrite(PSN, -1, p -> p.rkey = paged.rkey());
        peer.expect(Aeth.NAK_REMOTE_ACCESS, PSN);
        assertThat(memory()).isNotEqualTo(-1);
        side.verbs.deregMr(paged.handle());
    }

    /** No placement type, unknown ones, and unknown selectivity levels. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 8 | FLUSH_GLOBAL, 2 << 4 | FLUSH_GLOBAL, 3 << 4 | FLUSH_GLOBAL})
    void aFlushHasKnownTypesAndLevels(int header) {
        flush(PSN, header, p -> {});
        peer.expect(Aeth.NAK_INVALID_REQUEST, PSN);
    }

    @Test
    void reservedBitsOfAFlushAreIgnored() {
        flush(PSN, 0xffffffc0 | FLUSH_RANGE << 4 | FLUSH_GLOBAL, p -> {});
        expectAnswer(PSN);
    }

    @Test
    void memoryThatCannotPersistRefusesAFlushForPersistence() {
        flush(PSN, FLUSH_GLOBAL | FLUSH_PERSISTENT, p -> {});
        peer.expect(Aeth.NAK_REMOTE_ACCESS, PSN);
    }

    @Test
    void aFlushOfMoreThanTheRegionIsARemoteAccessError() {
        flush(PSN, FLUSH_GLOBAL, p -> p.length = 0x80000000L);
        peer.expect(Aeth.NAK_REMOTE_ACCESS, PSN);
    }

    @ParameterizedTest
    @ValueSource(longs = {0x80000001L, 0xffffffffL})
    void aFlushHasAtMostTheBytesOfAMessage(long length) {
        flush(PSN, FLUSH_GLOBAL, p -> p.length = length);
        peer.expect(Aeth.NAK_INVALID_REQUEST, PSN);
    }

    @Test
    void aFlushOfARegionHasNoLength() {
        flush(PSN, FLUSH_MR << 4 | FLUSH_GLOBAL, p -> p.length = 0xffffffffL);
        expectAnswer(PSN);
    }

    /** As rdma_rxe does, which does not count them among the reads in flight: 4 here. */
    @Test
    void moreFlushesThanReadsAreAnswered() {
        int count = 40;
        for (int i = 0; i < count; i++) {
            flush(PSN + i, FLUSH_GLOBAL, p -> {});
        }
        for (int i = 0; i < count; i++) {
            expectAnswer(PSN + i);
        }
    }

    @Test
    void theRegionOverAllMemoryIsFlushedAsAWholeButDoesNotPersist() {
        int access = Ibv.ACCESS_ON_DEMAND | Ibv.ACCESS_LOCAL_WRITE | Ibv.ACCESS_REMOTE_WRITE;
        assumeTrue(Personality.COMPLETE.hasOnDemandPaging(), "this system has no paging on demand");
        assertInvalid(() -> side.verbs.regMr(side.pd, 0, -1, 0, access | ACCESS_FLUSH_PERSISTENT));
        Mr everything = side.verbs.regMr(side.pd, 0, -1, 0, access | ACCESS_FLUSH_GLOBAL);
        flush(PSN, FLUSH_MR << 4 | FLUSH_GLOBAL, p -> p.rkey = everything.rkey());
        expectAnswer(PSN);
        side.verbs.deregMr(everything.handle());
    }

    /** That address, in memory on demand, is the number of a page fault. */
    @Test
    void noRegionReachesTheLastAddress() {
        assumeTrue(Personality.COMPLETE.hasOnDemandPaging(), "this system has no paging on demand");
        int access = Ibv.ACCESS_ON_DEMAND | ACCESS_FLUSH_GLOBAL;
        long last = Long.MAX_VALUE;
        assertInvalid(() -> side.verbs.regMr(side.pd, last - 8, 8, last - 8, access));
        Mr everything = side.verbs.regMr(side.pd, 0, -1, 0, access);
        flush(PSN, FLUSH_GLOBAL, p -> {
            p.rkey = everything.rkey();
            p.remoteAddress = last;
            p.length = 0;
        });
        peer.expect(Aeth.NAK_REMOTE_ACCESS, PSN);
        side.verbs.deregMr(everything.handle());
    }

    private static void assertInvalid(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    /** The processor reports the missing block of the file as a fault, which the JVM throws. */
    @Test
    void aWriteIntoAFileThatWasCutEndsThatQueuePairAlone() throws IOException {
        try (FileChannel file = FileChannel.open(
                folder.resolve("cut"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 4096, arena);
            Mr cut = side.verbs.regMr(side.pd, mapped.address(), 4096, mapped.address(), SoftSide.ACCESS);
            SoftSide neighbour = new SoftSide(arena, side, side.verbs.createCq(side.context, 16, 0, 0), 0);
            file.truncate(0);
            Packet packet = peer.packet(Opcode.WRITE_ONLY, PSN, 64);
            packet.remoteAddress = mapped.address();
            packet.rkey = cut.rkey();
            peer.send(packet);
            assertThat(side.verbs.pollAsyncEvents(side.context, 30_000)).isTrue();
            assertThat(Objects.requireNonNull(side.verbs.getAsyncEvent(side.context))
                            .eventType())
                    .isEqualTo(Ibv.EVENT_QP_FATAL);
            side.awaitState(Ibv.QPS_ERR);
            neighbour.connect(neighbour);
            neighbour.send(1, Ibv.WR_RDMA_WRITE, neighbour, 0, 64);
            neighbour.expect(1);
            assertThat(side.verbs.getAsyncEvent(side.context)).isNull();
            neighbour.closeQueuePair();
            neighbour.verbs.destroyCq(neighbour.cq.handle());
            side.verbs.deregMr(cut.handle());
        }
    }

    @Test
    void aFlushWithinAMessageIsInvalid() {
        peer.send(peer.packet(Opcode.WRITE_FIRST, PSN, 1024));
        flush(PSN + 1, FLUSH_GLOBAL, p -> {});
        Packet got = peer.answer();
        while (got.syndrome == Aeth.ACK) {
            got = peer.answer();
        }
        assertThat(got.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(got.psn).isEqualTo(PSN + 1);
    }
}
