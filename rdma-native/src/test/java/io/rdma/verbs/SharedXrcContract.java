package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.NewestFirst;
import io.rdma.testing.RoutablePath;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.Mtu;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contract of XRC domains that belong to a file, the same on every device. Two users open the device, as two processes
 * do: one has created the receiving queue pair, the other opens it and receives.
 */
abstract class SharedXrcContract {
    private static final int SIZE = 1 << 14;
    private static final int DEPTH = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Set<AccessFlag> REMOTE = EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

    @TempDir
    private Path folder;

    private final NewestFirst opened = new NewestFirst();
    private final SendChain sends = new SendChain(1, 1);
    private final ReceiveChain receives = new ReceiveChain(1, 1);
    private final CompletionBatch batch = new CompletionBatch(1);
    private Path file;
    private DeviceContext creator;
    private DeviceContext other;
    private XrcDomain domain;

    /** Returns the device. Skips the test where it is missing. */
    abstract RdmaDevice device();

    @BeforeEach
    void open() throws IOException {
        file = Files.createFile(folder.resolve("domain"));
        creator = opened.later(device().open());
        other = opened.later(device().open());
        try {
            domain = creator.openXrcDomain(file, true);
        } catch (VerbsException e) {
            assertThat(e.errno()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            Assumptions.abort("this device has no extended reliable connections: " + e.getMessage());
        }
    }

    @AfterEach
    void close() throws Exception {
        if (domain != null) {
            domain.close();
        }
        opened.close();
    }

    private static QueuePairAttributes toReceive(DeviceContext from, QueuePair peer) {
        return RoutablePath.toReadyToReceive(from, peer, 7).pathMtu(Mtu.BYTES_1024);
    }

    private static void connect(DeviceContext senders, QueuePair sender, DeviceContext receivers, QueuePair receiver) {
        Pair.init(sender, REMOTE);
        Pair.init(receiver, REMOTE);
        sender.modify(toReceive(senders, receiver));
        receiver.modify(toReceive(receivers, sender).maxDestRdAtomic(4).minRnrTimer(1));
        sender.modify(Pair.toReadyToSend(7));
        receiver.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(7).timeout(14));
    }

    private void expect(CompletionQueue queue, long wrId) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (queue.poll(batch) == 0) {
            assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(batch.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(batch.status(0))).isEqualTo(WorkCompletionStatus.SUCCESS);
    }

    private static void assertFails(int errno, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void anotherUserReceivesByAnOpenedQueuePairAlsoWhenItsCreatorHasLeft() {
        DeviceContext senders = opened.later(device().open());
        ProtectionDomain sending = opened.later(senders.allocateProtectionDomain());
        CompletionQueue sent = opened.later(senders.createCompletionQueue(DEPTH, null));
        MemoryRegion source = opened.later(sending.allocate(SIZE, REMOTE));
        QueuePair sender = opened.later(sending.createQueuePair(
                QueuePairType.XRC_SEND, sent, sent, null, new QueuePairCapacity(DEPTH, 1, 1, 1, 0)));
        QueuePair receiver = domain.createReceiveQueuePair();
        connect(senders, sender, creator, receiver);

        XrcDomain same = opened.later(other.openXrcDomain(file, false));
        ProtectionDomain receiving = opened.later(other.allocateProtectionDomain());
        CompletionQueue arrived = opened.later(other.createCompletionQueue(DEPTH, null));
        MemoryRegion memory = opened.later(receiving.allocate(SIZE, REMOTE));
        SharedReceiveQueue queue = opened.later(
                receiving.createSharedReceiveQueue(same, arrived, SharedReceiveQueueAttributes.of(DEPTH, 1)));
        QueuePair again = opened.later(same.openReceiveQueuePair(receiver.number()));
        assertThat(again.number()).isEqualTo(receiver.number());
        assertThat(again.queryState()).isEqualTo(QueuePairState.RTS);
        for (int round = 0; round < 4; round++) {
            if (round == 2) {
                receiver.close();
                domain.close();
            }
            source.segment().set(ValueLayout.JAVA_BYTE, 2999, (byte) (round + 1));
            receives.clear();
            receives.add(round).entry(memory.segment().address(), SIZE, memory.lkey());
            assertThat(queue.post(receives)).isZero();
            sends.clear();
            sends.add(round, WorkRequestOpcode.SEND)
                    .sharedReceiveQueue(queue.number())
                    .signaled()
                    .entry(source.segment().address(), 3000, source.lkey());
            assertThat(sender.post(sends)).isZero();
            expect(arrived, round);
            assertThat(batch.qpNumber(0)).isEqualTo(again.number());
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 2999)).isEqualTo((byte) (round + 1));
            expect(sent, round);
        }
    }

    @Test
    void aQueuePairOfAnotherDomainIsNotOpened() throws IOException {
        Path second = Files.createFile(folder.resolve("second"));
        XrcDomain different = opened.later(other.openXrcDomain(second, true));
        XrcDomain alone = opened.later(other.openXrcDomain());
        try (QueuePair receiver = domain.createReceiveQueuePair()) {
            assertFails(Errno.EINVAL, () -> different.openReceiveQueuePair(receiver.number()));
            assertFails(Errno.EINVAL, () -> alone.openReceiveQueuePair(receiver.number()));
        }
        XrcDomain same = opened.later(other.openXrcDomain(file, true));
        assertFails(Errno.EINVAL, () -> same.openReceiveQueuePair(77));
    }

    @Test
    void aDomainEndsWithItsLastUser() throws IOException {
        Path link = Files.createLink(folder.resolve("link"), file); // another name of the same file
        XrcDomain same = other.openXrcDomain(link, false);
        domain.close();
        XrcDomain third = creator.openXrcDomain(file, false);
        same.close();
        third.close();
        assertFails(Errno.EAGAIN, () -> other.openXrcDomain(file, false));
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> other.openXrcDomain(folder.resolve("none"), true))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
                .hasMessageContaining("none")
                .hasMessageContaining("Create the file");
    }

    @Test
    void aDomainWithAnOpenedQueuePairIsNotClosed() {
        XrcDomain same = opened.later(other.openXrcDomain(file, false));
        try (QueuePair receiver = domain.createReceiveQueuePair()) {
            QueuePair again = same.openReceiveQueuePair(receiver.number());
            assertFails(Errno.EBUSY, same::close);
            again.close();
        }
    }
}
