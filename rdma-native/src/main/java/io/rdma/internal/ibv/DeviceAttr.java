package io.rdma.internal.ibv;

/**
 * {@code struct ibv_device_attr}, {@code ibv_query_device(3)}: the fields that this library shows or uses, in
 * C's order.
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
 * @param maxEeRdAtom RD only
 * @param maxResRdAtom incoming reads and atomics per device
 * @param maxQpInitRdAtom outgoing reads and atomics per queue pair (initiator)
 * @param maxEeInitRdAtom RD only
 * @param atomicCap {@code IBV_ATOMIC_*}
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
public record DeviceAttr(
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
        int maxEeRdAtom,
        int maxResRdAtom,
        int maxQpInitRdAtom,
        int maxEeInitRdAtom,
        int atomicCap,
        int maxMw,
        int maxMcastGrp,
        int maxMcastQpAttach,
        int maxAh,
        int maxSrq,
        int maxSrqWr,
        int maxSrqSge,
        int maxPkeys,
        int localCaAckDelay,
        int physPortCnt) {}
