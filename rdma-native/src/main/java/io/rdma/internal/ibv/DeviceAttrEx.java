package io.rdma.internal.ibv;

/**
 * {@code struct ibv_device_attr_ex}, {@code ibv_query_device_ex(3)}, without the fields of {@link DeviceAttr}.
 *
 * @param generalOdpCaps {@code IBV_ODP_SUPPORT*}
 * @param rcOdpCaps {@code IBV_ODP_SUPPORT_*}, per operation
 * @param ucOdpCaps as for RC
 * @param udOdpCaps as for RC
 * @param xrcOdpCaps as for RC
 * @param completionTimestampMask valid bits of a completion's timestamp; 0 if there is none
 * @param hcaCoreClock kHz
 * @param deviceCapFlagsEx all flags, those of {@link DeviceAttr#deviceCapFlags()} included
 * @param qpRateLimitMin {@code packet_pacing_caps.qp_rate_limit_min}, kbit/s, unsigned
 * @param qpRateLimitMax kbit/s, unsigned
 * @param pacedQpts types of queue pairs, {@code 1 << IBV_QPT_*}
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
        int qpRateLimitMin,
        int qpRateLimitMax,
        int pacedQpts,
        long maxDmSize) {

    /** Attributes of a library or provider that does not know the call: no capabilities. */
    public static final DeviceAttrEx NONE = new DeviceAttrEx(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
