package io.rdma.types;

import io.rdma.internal.ibv.Ibv;
import java.util.Set;

/**
 * Capabilities of a device, {@code ibv_query_device(3)}. The names are those of C.
 *
 * @param fwVer firmware version
 * @param nodeGuid GUID of the node, host byte order
 * @param sysImageGuid GUID of the system image, host byte order
 * @param maxMrSize largest memory region, bytes
 * @param pageSizeCap bit mask of the supported page sizes
 * @param vendorId IEEE identifier of the vendor
 * @param vendorPartId part identifier of the vendor
 * @param hwVer hardware version
 * @param maxQp largest number of queue pairs
 * @param maxQpWr largest number of outstanding work requests per queue
 * @param deviceCapFlags {@code IBV_DEVICE_*}
 * @param maxSge largest number of scatter/gather elements per work request
 * @param maxSgeRd largest number of scatter/gather elements per RDMA read
 * @param maxCq largest number of completion queues
 * @param maxCqe largest number of entries per completion queue
 * @param maxMr largest number of memory regions
 * @param maxPd largest number of protection domains
 * @param maxQpRdAtom largest number of incoming reads and atomics per queue pair (responder)
 * @param maxResRdAtom largest number of incoming reads and atomics per device
 * @param maxQpInitRdAtom largest number of outgoing reads and atomics per queue pair (initiator)
 * @param atomicCap scope in which atomics are atomic
 * @param maxMw largest number of memory windows
 * @param maxMcastGrp largest number of multicast groups
 * @param maxMcastQpAttach largest number of queue pairs per multicast group
 * @param maxAh largest number of address handles
 * @param maxSrq largest number of shared receive queues
 * @param maxSrqWr largest number of work requests per shared receive queue
 * @param maxSrqSge largest number of scatter/gather elements per work request of a shared receive queue
 * @param maxPkeys largest number of partitions
 * @param localCaAckDelay acknowledge delay of the device; exponent, 4.096 us times 2 to the power of it
 * @param physPortCnt number of ports
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
     * Returns the capabilities of the mask.
     *
     * @return the constants whose bits are in {@code deviceCapFlags}
     */
    public Set<DeviceCapability> capabilities() {
        return DeviceCapability.of(Integer.toUnsignedLong(deviceCapFlags));
    }

    /**
     * Returns whether the device supports memory windows of type 1.
     *
     * @return {@code IBV_DEVICE_MEM_WINDOW}
     */
    public boolean hasMemoryWindows() {
        return (deviceCapFlags & Ibv.DEVICE_MEM_WINDOW) != 0;
    }

    /**
     * Returns whether the device supports memory windows of type 2.
     *
     * @return {@code IBV_DEVICE_MEM_WINDOW_TYPE_2A} or {@code 2B}
     */
    public boolean hasMemoryWindowsOfType2() {
        return (deviceCapFlags & (Ibv.DEVICE_MEM_WINDOW_TYPE_2A | Ibv.DEVICE_MEM_WINDOW_TYPE_2B)) != 0;
    }

    /**
     * Returns whether the device can invalidate keys, both by a local work request and by a send of the peer.
     *
     * @return {@code IBV_DEVICE_MEM_MGT_EXTENSIONS}
     */
    public boolean hasInvalidation() {
        return (deviceCapFlags & Ibv.DEVICE_MEM_MGT_EXTENSIONS) != 0;
    }
}
