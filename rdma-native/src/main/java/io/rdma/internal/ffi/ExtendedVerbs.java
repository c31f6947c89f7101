package io.rdma.internal.ffi;

import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Wc;

/**
 * The extended interfaces of posting and polling, by the conventions of {@link Verbs}: {@code ibv_wr_post(3)},
 * {@code ibv_create_cq_ex(3)}. C makes one call for each field. A method here handles a whole chain or batch, in the
 * layouts of the classic interface, so that the layers above use the same layouts for both interfaces.
 */
public interface ExtendedVerbs {
    /**
     * Creates a queue pair for {@link #wrPost}, {@code ibv_create_qp_ex(3)}.
     *
     * @param pd handle
     * @param attr requested attributes
     * @param sendOps {@code IBV_QP_EX_WITH_*} of {@link Ibv}: operations that will be posted
     * @return handle, number and granted capacity; except for sends it is a queue pair like any other
     */
    Qp createQpEx(long pd, QpInitAttr attr, long sendOps);

    /**
     * Posts a chain of {@link SendWr} by {@code ibv_wr_start}, {@code ibv_wr_send} and similar calls, and
     * {@code ibv_wr_complete}. It posts the whole chain or nothing.
     *
     * @param qp handle of {@link #createQpEx}
     * @param wr address of the first {@link SendWr}
     * @param badWr address of 8 bytes that receive {@code wr} on failure
     * @return 0 or a negative errno, as {@link Verbs#postSend}
     */
    int wrPost(long qp, long wr, long badWr);

    /**
     * Creates a completion queue for {@link #pollEx}, {@code ibv_create_cq_ex(3)}.
     *
     * @param context handle
     * @param cqe least number of entries
     * @param channel handle, or 0 for none
     * @param compVector completion vector, 0 to {@code num_comp_vectors - 1}
     * @param wcFlags {@code IBV_WC_EX_WITH_*} of {@link Ibv}: fields that will be read
     * @return handle and granted number of entries; except for polling it is a completion queue like any other
     */
    Cq createCqEx(long context, int cqe, long channel, int compVector, long wcFlags);

    /**
     * Polls completions by {@code ibv_start_poll}, {@code ibv_wc_read_*} and {@code ibv_end_poll}.
     *
     * @param cq handle of {@link #createCqEx}
     * @param numEntries largest number of completions, at least 1
     * @param wc address of an array of {@link Wc}
     * @param timestamps address of an array of 8 bytes each; written if the queue was created with a timestamp
     * @return as {@link Verbs#pollCq}
     */
    int pollEx(long cq, int numEntries, long wc, long timestamps);

    /**
     * Returns the {@code IBV_QP_EX_WITH_*} of an operation.
     *
     * @param opcode {@code IBV_WR_*} of {@link Ibv}
     * @return the bit, or 0 if there is none
     */
    static long sendOp(int opcode) {
        return switch (opcode) {
            case Ibv.WR_RDMA_WRITE -> Ibv.QP_EX_WITH_RDMA_WRITE;
            case Ibv.WR_RDMA_WRITE_WITH_IMM -> Ibv.QP_EX_WITH_RDMA_WRITE_WITH_IMM;
            case Ibv.WR_SEND -> Ibv.QP_EX_WITH_SEND;
            case Ibv.WR_SEND_WITH_IMM -> Ibv.QP_EX_WITH_SEND_WITH_IMM;
            case Ibv.WR_RDMA_READ -> Ibv.QP_EX_WITH_RDMA_READ;
            case Ibv.WR_ATOMIC_CMP_AND_SWP -> Ibv.QP_EX_WITH_ATOMIC_CMP_AND_SWP;
            case Ibv.WR_ATOMIC_FETCH_AND_ADD -> Ibv.QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
            case Ibv.WR_LOCAL_INV -> Ibv.QP_EX_WITH_LOCAL_INV;
            case Ibv.WR_BIND_MW -> Ibv.QP_EX_WITH_BIND_MW;
            case Ibv.WR_SEND_WITH_INV -> Ibv.QP_EX_WITH_SEND_WITH_INV;
            case MemoryPlacement.WR_FLUSH -> MemoryPlacement.QP_EX_WITH_FLUSH;
            case Ibv.WR_ATOMIC_WRITE -> Ibv.QP_EX_WITH_ATOMIC_WRITE;
            default -> 0;
        };
    }
}
