package io.rdma.internal.soft;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.QpTransitions;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftLimits;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/**
 * Queue pairs of the software device, from creation to destruction, without XRC targets. The monitor of its {@link
 * SoftVerbs} guards creation and destruction, like the rest of the control path. Transitions are turns of the device.
 */
final class SoftQueuePairs {
    private final SoftVerbs verbs;

    SoftQueuePairs(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    Qp create(long pd, QpInitAttr attr) {
        synchronized (verbs) {
            SoftPd owner = verbs.object("ibv_create_qp", pd, SoftPd.class);
            SoftCq sendCq = verbs.object("ibv_create_qp", attr.sendCq(), SoftCq.class);
            SoftCq recvCq = verbs.object("ibv_create_qp", attr.recvCq(), SoftCq.class);
            SoftSrq srq = attr.srq() == 0 ? null : verbs.object("ibv_create_qp", attr.srq(), SoftSrq.class);
            QpCap cap = attr.cap();
            if (srq != null && !srq.pd.matches(owner)) {
                throw new VerbsException(
                        "ibv_create_qp", Errno.EINVAL, "The shared receive queue belongs to another protection domain");
            }
            int transport = transport(verbs, attr.qpType());
            SoftLimits limits = verbs.personality().limits();
            if (SoftLimits.outside(cap.maxSendWr(), limits.qpWr())
                    || SoftLimits.outside(cap.maxRecvWr(), limits.qpWr())
                    || SoftLimits.outside(cap.maxSendSge(), limits.sge())
                    || SoftLimits.outside(cap.maxRecvSge(), limits.sge())
                    || SoftLimits.outside(cap.maxInlineData(), limits.inline())) {
                throw new VerbsException(
                        "ibv_create_qp",
                        Errno.EINVAL,
                        "Limits are " + limits.qpWr() + " requests, " + limits.sge() + " entries, " + limits.inline()
                                + " bytes inline");
            }
            QpCap granted = srq == null ? cap : new QpCap(cap.maxSendWr(), 0, cap.maxSendSge(), 0, cap.maxInlineData());
            SoftDevice on = verbs.device();
            SoftQp qp = on.call(() -> {
                SoftQp made = new SoftQp(
                        on, transport, owner, sendCq, recvCq, srq, granted, attr.sqSigAll(), on.freshQpn(), null);
                verbs.handles.add(made); // before any event can name it
                on.add(made);
                return made;
            });
            owner.users++;
            if (srq != null) {
                srq.users++;
            }
            sendCq.users++;
            recvCq.users++;
            return new Qp(qp.handle, qp.qpn, granted);
        }
    }

    /** Returns the transport of queue pairs of a type, {@code IBV_QPT_*}. */
    static int transport(SoftVerbs verbs, int qpType) {
        int transport = switch (qpType) {
            case QPT_RC -> Opcode.RC;
            case QPT_UC -> Opcode.UC;
            case QPT_UD -> Opcode.UD;
            case QPT_XRC_SEND -> Opcode.XRC;
            default -> throw verbs.unsupported("ibv_create_qp", "queue pairs of this type");
        };
        verbs.require("ibv_create_qp", verbs.personality().has(transport), "queue pairs of this type");
        return transport;
    }

    void modify(long qp, QpAttr attr, int mask) {
        SoftQp object = verbs.xrc().queuePair("ibv_modify_qp", qp);
        boolean connects = (mask & QP_STATE) != 0 && (attr.qpState() == QPS_RTR || attr.qpState() == QPS_RTS);
        if (connects && verbs.isIwarp()) {
            throw new VerbsException(
                    "ibv_modify_qp", Errno.EINVAL, "With iWARP the connection manager alone connects a queue pair");
        }
        object.device.call(() -> {
            QpTransitions.apply(object, attr, mask);
            return 0;
        });
    }

    QpAttr query(long qp) {
        SoftQp object = verbs.xrc().queuePair("ibv_query_qp", qp);
        return object.device.call(() -> QpTransitions.view(object));
    }

    QpInitAttr queryInit(long qp) {
        SoftQp object = verbs.xrc().queuePair("ibv_query_qp", qp);
        long srq = object.srq == null ? 0 : object.srq.handle;
        return new QpInitAttr(
                object.sendCq.handle, object.recvCq.handle, srq, object.cap, object.type(), object.signalAll);
    }

    void destroy(long qp) {
        synchronized (verbs) {
            SoftQp object = verbs.xrc().queuePair("ibv_destroy_qp", qp);
            if (object.xrcd != null) {
                if (verbs.xrc().destroyed(qp, object, object.xrcd)) {
                    remove(object);
                }
                return;
            }
            remove(object);
            verbs.release("ibv_destroy_qp", object);
            if (object.srq != null) {
                object.srq.users--;
            }
            object.pd.users--;
            object.sendCq.users--;
            object.recvCq.users--;
        }
    }

    private void remove(SoftQp object) {
        object.device.call(() -> {
            if (object.attached > 0) { // as ib_uverbs does
                throw SoftDevice.busy("ibv_destroy_qp");
            }
            verbs.device().remove(object);
            return 0;
        });
        object.pd.context.forget(object);
    }

    void bringUp(int qpn, CmQpAttr toRtr, CmQpAttr toRts, boolean awaitsPeer, Runnable onEnd) {
        SoftDevice on = verbs.device();
        on.call(() -> {
            SoftQp qp = on.find(qpn);
            if (qp == null) {
                throw new VerbsException(verbs.name(), Errno.EINVAL, "There is no queue pair " + qpn);
            }
            QpTransitions.apply(qp, toRtr.attr(), toRtr.mask());
            qp.awaitsPeer = awaitsPeer;
            QpTransitions.apply(qp, toRts.attr(), toRts.mask());
            qp.manager.setOnEnd(onEnd);
            return 0;
        });
    }
}
