package io.rdma.verbs;

import io.rdma.internal.ffi.DeviceAttr;
import io.rdma.internal.ffi.Ibv;

/**
 * Capabilities of a device, {@code ibv_query_device(3)}; names are C's.
 *
 * @param fwVer firmware version
 * @param nodeGuid host order
 * @param sysImageGuid host order
 * @param maxMrSize bytes
 * @param pageSizeCap bit mask of page sizes
 * @param vendorId IEEE vendor
 * @param vendorPartId vendor's part
 * @param hwVer hardware version
 * @param maxQp queue pairs
 * @param maxQpWr work requests per queue
 * @param deviceCapFlags {@code IBV_DEVICE_*}
 * @param maxSge scatter/gather entries per request
 * @param maxSgeRd scatter/gather entries per RDMA read
 * @param maxCq completion queues
 * @param maxCqe entries per completion queue
 * @param maxMr memory regions
 * @param maxPd protection domains
 * @param maxQpRdAtom incoming reads and atomics per queue pair (responder)
 * @param maxResRdAtom incoming reads and atomics per device
 * @param maxQpInitRdAtom outgoing reads and atomics per queue pair (initiator)
 * @param atomicCap how atomic the atomics are
 * @param maxMw memory windows
 * @param maxMcastGrp multicast groups
 * @param maxMcastQpAttach queue pairs per multicast group
 * @param maxAh address handles
 * @param maxSrq shared receive queues
 * @param maxSrqWr work requests per shared receive queue
 * @param maxSrqSge entries per request of a shared receive queue
 * @param maxPkeys partitions
 * @param localCaAckDelay device's acknowledge delay, exponent of 4.096 us
 * @param physPortCnt ports
 */
public record DeviceAttributes(
        String fwVer,
        long nodeGuid,
        long sysImageGuid,
        long maxMrSize,
        long pageSizeCap,
        int vendorId,
        int vendorPartId,
        int hwVer,
        int maxQp,
        int maxQpWr,
        int deviceCapFlags,
        int maxSge,
        int maxSgeRd,
        int maxCq,
        int maxCqe,
        int maxMr,
        int maxPd,
        int maxQpRdAtom,
        int maxResRdAtom,
        int maxQpInitRdAtom,
        AtomicCapability atomicCap,
        int maxMw,
        int maxMcastGrp,
        int maxMcastQpAttach,
        int maxAh,
        int maxSrq,
        int maxSrqWr,
        int maxSrqSge,
        int maxPkeys,
        int localCaAckDelay,
        int physPortCnt) {

    /**
     * Whether it has memory windows of type 1.
     *
     * @return {@code IBV_DEVICE_MEM_WINDOW}
     */
    public boolean hasMemoryWindows() {
        return (deviceCapFlags & Ibv.DEVICE_MEM_WINDOW) != 0;
    }

    /**
     * Whether it has memory windows of type 2.
     *
     * @return {@code IBV_DEVICE_MEM_WINDOW_TYPE_2A} or {@code 2B}
     */
    public boolean hasMemoryWindowsOfType2() {
        return (deviceCapFlags & (Ibv.DEVICE_MEM_WINDOW_TYPE_2A | Ibv.DEVICE_MEM_WINDOW_TYPE_2B)) != 0;
    }

    /**
     * Whether it can invalidate keys, by a local request and by a peer's send.
     *
     * @return {@code IBV_DEVICE_MEM_MGT_EXTENSIONS}
     */
    public boolean hasInvalidation() {
        return (deviceCapFlags & Ibv.DEVICE_MEM_MGT_EXTENSIONS) != 0;
    }

    static DeviceAttributes of(DeviceAttr a) {
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
}
