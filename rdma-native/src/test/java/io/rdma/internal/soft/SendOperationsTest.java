package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations that queue pairs of the extended interface are created for: those that can be posted, and no others. */
class SendOperationsTest {
    private static final long MESSAGES = Ibv.QP_EX_WITH_SEND | Ibv.QP_EX_WITH_SEND_WITH_IMM;
    private static final long UNRELIABLE = MESSAGES | Ibv.QP_EX_WITH_RDMA_WRITE | Ibv.QP_EX_WITH_RDMA_WRITE_WITH_IMM;
    private static final long IWARP = Ibv.QP_EX_WITH_SEND
            | Ibv.QP_EX_WITH_SEND_WITH_INV
            | Ibv.QP_EX_WITH_RDMA_WRITE
            | Ibv.QP_EX_WITH_RDMA_READ
            | Ibv.QP_EX_WITH_LOCAL_INV;
    private static final long RELIABLE = UNRELIABLE
            | IWARP
            | Ibv.QP_EX_WITH_ATOMIC_CMP_AND_SWP
            | Ibv.QP_EX_WITH_ATOMIC_FETCH_AND_ADD
            | Ibv.QP_EX_WITH_BIND_MW;
    private static final long PLACEMENT = MemoryPlacement.QP_EX_WITH_FLUSH | Ibv.QP_EX_WITH_ATOMIC_WRITE;
    private static final int MOST_BITS = 16;

    private static long supported(Personality personality, int type) {
        return switch (type) {
            case Ibv.QPT_UD -> personality.isIwarp() ? 0 : MESSAGES;
            case Ibv.QPT_UC -> personality.isIwarp() ? 0 : UNRELIABLE;
            default -> personality.isIwarp() ? IWARP : RELIABLE | (personality.hasPlacement() ? PLACEMENT : 0);
        };
    }

    @ParameterizedTest
    @EnumSource
    void anOperationThatTheTypeOrTheDeviceLacksIsRefused(Personality personality) {
        SoftVerbs verbs = SoftVerbs.shared(personality);
        long context = verbs.openDevice(personality.device());
        long pd = verbs.allocPd(context);
        Cq cq = verbs.createCq(context, 8, 0, 0);
        for (int type : new int[] {Ibv.QPT_RC, Ibv.QPT_UC, Ibv.QPT_UD}) {
            QpInitAttr attr = new QpInitAttr(cq.handle(), cq.handle(), 0, new QpCap(1, 1, 1, 1, 0), type, false);
            long supported = supported(personality, type);
            for (int bit = 0; bit < MOST_BITS; bit++) {
                long operation = 1L << bit;
                if ((supported & operation) != 0) {
                    verbs.destroyQp(
                            verbs.extended().createQpEx(pd, attr, operation).handle());
                } else {
                    assertThatThrownBy(() -> verbs.extended().createQpEx(pd, attr, operation | supported))
                            .as("type %d, operation 0x%x", type, operation)
                            .isInstanceOfSatisfying(
                                    VerbsException.class,
                                    e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
                }
            }
        }
        verbs.destroyCq(cq.handle());
        verbs.deallocPd(pd);
        verbs.closeDevice(context);
    }
}
