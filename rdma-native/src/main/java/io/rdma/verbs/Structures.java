package io.rdma.verbs;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.types.AtomicCapability;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import io.rdma.types.Mtu;
import io.rdma.types.PortAttributes;
import io.rdma.types.PortState;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.Signaling;
import org.jspecify.annotations.Nullable;

/** Conversions between attributes and the structures of C that carry them. */
final class Structures {
    private Structures() {}

    static QpCap of(QueuePairCapacity capacity) {
        return new QpCap(
                capacity.maxSendWr(),
                capacity.maxReceiveWr(),
                capacity.maxSendSge(),
                capacity.maxReceiveSge(),
                capacity.maxInlineData());
    }

    static SrqAttr of(SharedReceiveQueueAttributes attributes) {
        return new SrqAttr(attributes.maxWr(), attributes.maxSge(), attributes.limit());
    }

    static QueuePairCapacity capacity(QpCap cap) {
        // A device grants 0 entries only if 0 were requested, which this record excludes.
        return new QueuePairCapacity(
                cap.maxSendWr(), cap.maxRecvWr(), cap.maxSendSge(), cap.maxRecvSge(), cap.maxInlineData());
    }

    /**
     * Returns the attributes of a queue pair to be created.
     *
     * @throws IllegalArgumentException if the shared receive queue belongs to another domain
     */
    static QpInitAttr initAttr(
            ProtectionDomain domain,
            QueuePairType type,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity,
            Signaling signaling) {
        if (shared != null && !shared.isOf(domain)) {
            // Devices differ in which of the two domains they use. libibverbs accepts the mismatch, and then each
            // message fails.
            throw new IllegalArgumentException(
                    "the shared receive queue belongs to another protection domain: create it"
                            + " in the queue pair's domain");
        }
        return new QpInitAttr(
                sendQueue.handle(),
                receiveQueue.handle(),
                shared == null ? 0 : shared.handle(),
                receives(type, shared) ? of(capacity) : withReceives(of(capacity), 0, 0),
                type.code(),
                signaling == Signaling.ALL);
    }

    private static boolean receives(QueuePairType type, @Nullable SharedReceiveQueue shared) {
        return shared == null && type != QueuePairType.XRC_SEND;
    }

    /** Returns the capacity of a created queue pair. Its receives may be those of its shared receive queue. */
    static QueuePairCapacity granted(
            Qp qp, QueuePairType type, @Nullable SharedReceiveQueue shared, QueuePairCapacity wanted) {
        if (shared != null) {
            SharedReceiveQueueAttributes receives = shared.attributes();
            return capacity(withReceives(qp.cap(), receives.maxWr(), receives.maxSge()));
        }
        return capacity(
                receives(type, null)
                        ? qp.cap()
                        : withReceives(qp.cap(), wanted.maxReceiveWr(), wanted.maxReceiveSge()));
    }

    private static QpCap withReceives(QpCap cap, int maxRecvWr, int maxRecvSge) {
        return new QpCap(cap.maxSendWr(), maxRecvWr, cap.maxSendSge(), maxRecvSge, cap.maxInlineData());
    }

    static SharedReceiveQueueAttributes attributes(SrqAttr attr) {
        return new SharedReceiveQueueAttributes(attr.maxWr(), attr.maxSge(), attr.srqLimit());
    }

    static GidTableEntry entry(GidEntry e) {
        return new GidTableEntry(Gid.of(e.gid()), e.gidIndex(), e.portNum(), GidType.of(e.gidType()));
    }

    static PortAttributes attributes(PortAttr a) {
        return new PortAttributes(
                PortState.of(a.state()),
                Mtu.of(a.maxMtu()),
                Mtu.of(a.activeMtu()),
                a.gidTblLen(),
                a.portCapFlags(),
                Integer.toUnsignedLong(a.maxMsgSz()),
                a.badPkeyCntr() & 0xffff,
                a.qkeyViolCntr() & 0xffff,
                a.pkeyTblLen(),
                a.lid(),
                a.smLid(),
                a.lmc(),
                a.maxVlNum(),
                a.smSl(),
                a.subnetTimeout(),
                a.initTypeReply(),
                a.activeWidth(),
                a.activeSpeed(),
                a.physState(),
                LinkLayer.of(a.linkLayer()),
                a.portCapFlags2());
    }

    static DeviceAttributes attributes(DeviceAttr a) {
        return new DeviceAttributes(
                a.fwVer(),
                a.nodeGuid(),
                a.sysImageGuid(),
                a.maxMrSize(),
                a.pageSizeCap(),
                a.vendorId(),
                a.vendorPartId(),
                a.hwVer(),
                a.maxQp(),
                a.maxQpWr(),
                a.deviceCapFlags(),
                a.maxSge(),
                a.maxSgeRd(),
                a.maxCq(),
                a.maxCqe(),
                a.maxMr(),
                a.maxPd(),
                a.maxQpRdAtom(),
                a.maxResRdAtom(),
                a.maxQpInitRdAtom(),
                AtomicCapability.of(a.atomicCap()),
                a.maxMw(),
                a.maxMcastGrp(),
                a.maxMcastQpAttach(),
                a.maxAh(),
                a.maxSrq(),
                a.maxSrqWr(),
                a.maxSrqSge(),
                a.maxPkeys(),
                a.localCaAckDelay(),
                a.physPortCnt());
    }

    static ExtendedDeviceAttributes attributes(DeviceAttrEx a) {
        return new ExtendedDeviceAttributes(
                (a.generalOdpCaps() & Ibv.ODP_SUPPORT) != 0,
                (a.generalOdpCaps() & Ibv.ODP_SUPPORT_IMPLICIT) != 0,
                OnDemandOperation.of(a.rcOdpCaps()),
                OnDemandOperation.of(a.ucOdpCaps()),
                OnDemandOperation.of(a.udOdpCaps()),
                OnDemandOperation.of(a.xrcOdpCaps()),
                a.completionTimestampMask(),
                a.hcaCoreClock(),
                a.deviceCapFlagsEx(),
                Integer.toUnsignedLong(a.qpRateLimitMin()),
                Integer.toUnsignedLong(a.qpRateLimitMax()),
                a.pacedQpts(),
                a.maxDmSize());
    }
}
