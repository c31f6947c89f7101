package io.rdma.verbs;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.QpCap;
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
                Integer.toUnsignedLong(a.maxMsgSz()),
                a.badPkeyCntr() & 0xffff,
                a.qkeyViolCntr() & 0xffff,
                a.pkeyTblLen(),
                a.lid(),
                a.smLid(),
                a.activeWidth(),
                a.activeSpeed(),
                a.physState(),
                LinkLayer.of(a.linkLayer()));
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
                a.maxDmSize());
    }
}
