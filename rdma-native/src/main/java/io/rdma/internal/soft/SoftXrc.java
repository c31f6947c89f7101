package io.rdma.internal.soft;

import io.rdma.internal.ffi.XrcVerbs;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.os.Libc;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.SoftContext;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftOpenQp;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.internal.soft.objects.SoftXrcd;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Implementation of {@link XrcVerbs} by the software device. The monitor of its {@link SoftVerbs} guards it, like the
 * rest of the control path.
 */
final class SoftXrc implements XrcVerbs {
    private static final QpCap NOTHING = new QpCap(0, 0, 0, 0, 0);

    private final SoftVerbs verbs;
    private final SoftXrcd.Files files = new SoftXrcd.Files(); // guarded by the monitor of verbs

    SoftXrc(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    @Override
    public long openXrcd(long context, int fd, int oflags) {
        synchronized (verbs) {
            SoftContext owner = verbs.object("ibv_open_xrcd", context, SoftContext.class);
            verbs.require("ibv_open_xrcd", verbs.personality().has(Opcode.XRC), "XRC");
            Object inode = fd == -1 ? null : inode(fd);
            if (inode != null && (oflags & O_CREAT) == 0 && !files.has(inode)) { // as ib_uverbs does
                throw new VerbsException(
                        "ibv_open_xrcd", Errno.EAGAIN, "Nobody in this process has created the domain");
            }
            SoftXrcd made = new SoftXrcd(owner, files, inode);
            try {
                verbs.handles.add(made);
            } catch (Throwable e) {
                made.closed(files);
                throw e;
            }
            owner.users++;
            return made.handle;
        }
    }

    /** Returns the identity of an open file. The descriptor stands for the same file in {@code /proc}. */
    private static Object inode(int fd) {
        try {
            Path file = Path.of("/proc/self/fd/" + fd);
            return List.of(Files.getAttribute(file, "unix:dev"), Files.getAttribute(file, "unix:ino"));
        } catch (IOException e) {
            throw new VerbsException("ibv_open_xrcd", Libc.EBADF, "The descriptor is not open");
        }
    }

    @Override
    public void closeXrcd(long xrcd) {
        synchronized (verbs) {
            SoftXrcd object = verbs.object("ibv_close_xrcd", xrcd, SoftXrcd.class);
            verbs.release("ibv_close_xrcd", object);
            object.closed(files);
            object.context.users--;
        }
    }

    @Override
    public Srq createXrcSrq(long pd, long xrcd, long cq, SrqAttr attr) {
        synchronized (verbs) {
            SoftPd owner = verbs.object("ibv_create_srq_ex", pd, SoftPd.class);
            SoftXrcd domain = verbs.object("ibv_create_srq_ex", xrcd, SoftXrcd.class);
            SoftCq queue = verbs.object("ibv_create_srq_ex", cq, SoftCq.class);
            verbs.checkSrq("ibv_create_srq_ex", attr);
            SoftDevice on = verbs.device();
            SoftSrq made = on.call(() -> {
                SoftSrq srq = new SoftSrq(owner, attr.maxWr(), attr.maxSge(), domain, queue, on.freshSrqn());
                on.add(srq);
                return srq;
            });
            owner.users++;
            domain.users++;
            queue.users++;
            return new Srq(verbs.handles.add(made), new SrqAttr(attr.maxWr(), attr.maxSge(), 0));
        }
    }

    /** Removes a shared receive queue that {@code ibv_destroy_srq} destroys. Under the monitor. */
    void destroyed(SoftSrq srq, SoftXrcd domain, SoftCq queue) {
        SoftDevice on = verbs.device();
        on.call(() -> {
            on.remove(srq);
            return 0;
        });
        domain.users--;
        queue.users--;
    }

    @Override
    public int getSrqNum(long srq) {
        SoftSrq object = verbs.object("ibv_get_srq_num", srq, SoftSrq.class);
        if (object.xrcd == null) {
            throw new VerbsException(
                    "ibv_get_srq_num", Errno.EINVAL, "Only a shared receive queue of an XRC domain has a number");
        }
        return object.number;
    }

    @Override
    public Qp createXrcReceiveQp(long xrcd) {
        synchronized (verbs) {
            SoftXrcd domain = verbs.object("ibv_create_qp_ex", xrcd, SoftXrcd.class);
            SoftDevice on = verbs.device();
            // The target completes nothing itself, and has no protection domain until a peer names a shared queue.
            SoftCq none = new SoftCq(domain.context, 1, null, null);
            SoftPd nowhere = new SoftPd(domain.context, null);
            SoftQp qp = on.call(() -> {
                SoftQp made =
                        new SoftQp(on, Opcode.XRC, nowhere, none, none, null, NOTHING, false, on.freshQpn(), domain);
                verbs.handles.add(made);
                on.add(made);
                return made;
            });
            domain.users++;
            return new Qp(qp.handle, qp.qpn, NOTHING);
        }
    }

    @Override
    public Qp openQp(long xrcd, int qpNum) {
        synchronized (verbs) {
            SoftXrcd domain = verbs.object("ibv_open_qp", xrcd, SoftXrcd.class);
            SoftDevice on = verbs.device();
            SoftQp target = on.call(() -> on.find(qpNum));
            if (target == null || !domain.isSameAs(target.xrcd)) {
                throw new VerbsException(
                        "ibv_open_qp",
                        Errno.EINVAL,
                        "The domain has no receiving queue pair " + qpNum
                                + ": open the file that its creator has opened");
            }
            long handle = verbs.handles.add(new SoftOpenQp(target, domain));
            target.owners++;
            domain.users++;
            return new Qp(handle, qpNum, NOTHING);
        }
    }

    /** Returns the queue pair of a handle of its creator, or of a caller that opened it. */
    SoftQp queuePair(String call, long handle) {
        SoftOpenQp opened = verbs.handles.find(handle, SoftOpenQp.class);
        return opened == null ? verbs.object(call, handle, SoftQp.class) : opened.target;
    }

    /**
     * Ends the use of a target queue pair by one of its owners. Under the monitor.
     *
     * @return whether it was the last one, so that the queue pair itself is to be removed
     */
    boolean destroyed(long handle, SoftQp target, SoftXrcd creators) {
        SoftOpenQp opened = verbs.handles.find(handle, SoftOpenQp.class);
        SoftXrcd by = opened == null ? creators : opened.xrcd;
        verbs.handles.remove(opened == null ? target : opened);
        by.users--;
        return --target.owners == 0;
    }
}
