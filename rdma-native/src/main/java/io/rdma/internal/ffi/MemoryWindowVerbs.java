package io.rdma.internal.ffi;

import io.rdma.internal.ibv.BindWr;
import io.rdma.internal.ibv.Mw;
import io.rdma.internal.ibv.MwBind;
import io.rdma.internal.ibv.SendWr;

/**
 * The control path of memory windows, {@code ibv_alloc_mw(3)} and {@code ibv_bind_mw(3)}, by the conventions of
 * {@link Verbs}. Type 2 windows are bound by {@code IBV_WR_BIND_MW} in a {@link SendWr}, see {@link BindWr}.
 */
public interface MemoryWindowVerbs {
    /**
     * Allocates a window, {@code ibv_alloc_mw(3)}.
     *
     * @param pd handle
     * @param type {@code IBV_MW_TYPE_*}
     * @return handle and key
     */
    Mw allocMw(long pd, int type);

    /**
     * Frees a window, {@code ibv_dealloc_mw(3)}. Its binding is revoked.
     *
     * @param mw handle
     */
    void deallocMw(long mw);

    /**
     * Posts a binding of a type 1 window, {@code ibv_bind_mw(3)}.
     *
     * @param qp handle
     * @param mw handle
     * @param bind the binding
     * @return the window's key after the binding
     */
    int bindMw(long qp, long mw, MwBind bind);

    /**
     * Writes {@code ibv_mw.rkey}. In C the application does this after it has posted the binding of a type 2 window.
     *
     * @param mw handle
     * @param rkey key after the binding
     */
    void setMwRkey(long mw, int rkey);
}
