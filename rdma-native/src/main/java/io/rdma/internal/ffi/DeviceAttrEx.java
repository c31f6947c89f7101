package io.rdma.internal.ffi;

/**
 * {@code struct ibv_device_attr_ex}, {@code ibv_query_device_ex(3)}; what {@link DeviceAttr} has is left out.
 *
 * @param generalOdpCaps {@code IBV_ODP_SUPPORT*}
 * @param rcOdpCaps {@code IBV_ODP_SUPPORT_*}, per operation
 * @param ucOdpCaps as for RC
 * @param udOdpCaps as for RC
 * @param xrcOdpCaps as for RC
 * @param completionTimestampMask valid bits of a completion's time stamp; 0: there is none
 * @param hcaCoreClock kHz
 * @param deviceCapFlagsEx all flags, those of {@link DeviceAttr#deviceCapFlags()} included
 * @param maxDmSize bytes of device memory
 */
public record DeviceAttrEx(
        long generalOdpCaps,
        int rcOdpCaps,
        int ucOdpCaps,
        int udOdpCaps,
        int xrcOdpCaps,
        long completionTimestampMask,
        long hcaCoreClock,
        long deviceCapFlagsEx,
        long maxDmSize) {

    /** What a library or provider that does not know the call has: nothing. */
    public static final DeviceAttrEx NONE = new DeviceAttrEx(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
