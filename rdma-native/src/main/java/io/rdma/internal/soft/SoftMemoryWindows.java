package io.rdma.internal.soft;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ffi.MemoryWindowVerbs;
import io.rdma.internal.ibv.Mw;
import io.rdma.internal.ibv.MwBind;
import io.rdma.internal.soft.device.Posting;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.Bind;
import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftMw;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

// Invariant: the monitor of the verbs serialises the control path. Keys are accessed on the device thread only.

/** Implementation of {@link MemoryWindowVerbs} by the software device. */
final class SoftMemoryWindows implements MemoryWindowVerbs {
    private final SoftVerbs verbs;

    SoftMemoryWindows(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    @Override
    public Mw allocMw(long pd, int type) {
        synchronized (verbs) {
            SoftPd owner = verbs.object("ibv_alloc_mw", pd, SoftPd.class);
            verbs.require("ibv_alloc_mw", verbs.personality().hasWindows(), "memory windows");
            if (type != MW_TYPE_1 && type != MW_TYPE_2) {
                throw new VerbsException(
                        "ibv_alloc_mw", Errno.EINVAL, "A memory window must be of type 1 or 2: " + type);
            }
            SoftDevice on = verbs.device();
            SoftMw made = on.call(() -> {
                SoftMw window = new SoftMw(owner, type, on.keys().fresh());
                on.keys().add(window);
                return window;
            });
            owner.users++;
            return new Mw(verbs.handles.add(made), made.rkey);
        }
    }

    @Override
    public void deallocMw(long mw) {
        synchronized (verbs) {
            SoftMw window = verbs.object("ibv_dealloc_mw", mw, SoftMw.class);
            SoftDevice on = verbs.device();
            on.call(() -> {
                on.keys().remove(window);
                return 0;
            });
            verbs.release("ibv_dealloc_mw", window);
            window.pd.users--;
        }
    }

    @Override
    public int bindMw(long qp, long mw, MwBind bind) {
        SoftQp through = verbs.object("ibv_bind_mw", qp, SoftQp.class);
        SoftMw window = verbs.object("ibv_bind_mw", mw, SoftMw.class);
        SoftMr region = bind.length() == 0 ? null : verbs.object("ibv_bind_mw", bind.mr(), SoftMr.class);
        int oldKey = window.key;
        int newKey = MemoryKeys.next(oldKey);
        int result = window.type != MW_TYPE_1
                ? -Errno.EINVAL
                : Posting.bind(
                        through,
                        bind.wrId(),
                        bind.sendFlags(),
                        new Bind(window, oldKey, newKey, region, bind.addr(), bind.length(), bind.accessFlags()));
        if (result != 0) {
            throw new VerbsException("ibv_bind_mw", -result, null);
        }
        window.key = newKey;
        return newKey;
    }

    @Override
    public void setMwRkey(long mw, int rkey) {
        verbs.object("ibv_mw", mw, SoftMw.class).key = rkey;
    }
}
