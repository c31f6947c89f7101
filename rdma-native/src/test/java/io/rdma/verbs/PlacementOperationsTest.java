package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.types.Errno;
import io.rdma.types.PostingInterface;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkRequestOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Creation of queue pairs by providers that lack what the kernel announces. */
class PlacementOperationsTest {
    private static final long BOTH = MemoryPlacement.QP_EX_WITH_FLUSH | Ibv.QP_EX_WITH_ATOMIC_WRITE;

    private final Verbs verbs = SoftVerbs.shared();
    private final long context = verbs.openDevice("soft0");
    private final PlacementOperations operations = new PlacementOperations(verbs, context);
    private final List<Long> attempts = new ArrayList<>();
    private long lacking;

    @AfterEach
    void close() {
        verbs.closeDevice(context);
    }

    private PlacementOperations.Made<String> create(QueuePairType type, PostingInterface posting) {
        attempts.clear();
        return operations.create(type, posting, sendOps -> {
            attempts.add(sendOps);
            if ((sendOps & lacking) != 0) {
                throw new VerbsException("ibv_create_qp_ex", Errno.EOPNOTSUPP, "an older provider");
            }
            return "made";
        });
    }

    @Test
    void aProviderWithoutTheExtendedInterfaceMakesClassicQueuePairsFromTheFirstOn() {
        lacking = -1;
        for (int i = 0; i < 2; i++) {
            PlacementOperations.Made<String> made = create(QueuePairType.RC, PostingInterface.BOTH);
            assertThat(made.extended()).isFalse();
            assertThat(made.operations()).isEqualTo(QueuePairType.RC.operationBits());
            assertThat(SendInterface.of(verbs, PostingInterface.BOTH, QueuePairType.RC, made)
                            .posting())
                    .isEqualTo(PostingInterface.CLASSIC);
        }
        assertThat(attempts).as("those of the second queue pair").containsExactly(0L);
    }

    @Test
    void theExtendedInterfaceAloneIsRefused() {
        lacking = -1;
        assertThatThrownBy(() -> create(QueuePairType.RC, PostingInterface.EXTENDED))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThat(attempts).doesNotContain(0L);
    }

    @Test
    void aProviderWithoutFlushKeepsTheAtomicWrite() {
        lacking = MemoryPlacement.QP_EX_WITH_FLUSH;
        PlacementOperations.Made<String> made = create(QueuePairType.RC, PostingInterface.BOTH);
        assertThat(made.extended()).isTrue();
        assertThat(made.operations() & WorkRequestOpcode.FLUSH.bit()).isZero();
        assertThat(made.operations() & WorkRequestOpcode.ATOMIC_WRITE.bit()).isNotZero();
    }

    @Test
    void aTypeThatIsRefusedTakesNothingFromTheOthers() {
        lacking = -1;
        create(QueuePairType.XRC_SEND, PostingInterface.BOTH);
        assertThatThrownBy(() -> create(QueuePairType.XRC_SEND, PostingInterface.EXTENDED))
                .isInstanceOf(VerbsException.class);
        lacking = 0;
        assertThat(create(QueuePairType.RC, PostingInterface.BOTH).operations())
                .isEqualTo(QueuePairType.RC.operationBits()
                        | WorkRequestOpcode.FLUSH.bit()
                        | WorkRequestOpcode.ATOMIC_WRITE.bit());
        assertThat(attempts).containsExactly(QueuePairType.RC.sendOps() | BOTH);
    }
}
