package io.rdma.verbs;

import io.rdma.internal.ffi.DeviceAttrEx;
import io.rdma.internal.ffi.Ibv;
import java.util.EnumSet;
import java.util.Set;

/**
 * More capabilities of a device, {@code ibv_query_device_ex(3)}; all 0 where the provider does not know the call.
 *
 * @param onDemand whether regions may be paged on demand, {@code IBV_ODP_SUPPORT}
 * @param implicitOnDemand whether one on-demand region may span all memory, {@code IBV_ODP_SUPPORT_IMPLICIT}
 * @param rcOnDemand what reliable connections do with on-demand memory
 * @param ucOnDemand what unreliable connections do
 * @param udOnDemand what datagrams do
 * @param xrcOnDemand what extended reliable connections do
 * @param completionTimestampMask valid bits of a completion's time stamp; 0: there is none
 * @param hcaCoreClock of those time stamps, kHz
 * @param deviceCapFlagsEx {@code IBV_DEVICE_*}, those of {@link DeviceAttributes} included
 * @param maxDmSize bytes of memory on the device, 0: there is none
 */
public record ExtendedDeviceAttributes(
        boolean onDemand,
        boolean implicitOnDemand,
        Set<OnDemandOperation> rcOnDemand,
        Set<OnDemandOperation> ucOnDemand,
        Set<OnDemandOperation> udOnDemand,
        Set<OnDemandOperation> xrcOnDemand,
        long completionTimestampMask,
        long hcaCoreClock,
        long deviceCapFlagsEx,
        long maxDmSize) {

    /** What on-demand memory may be used for, {@code enum ibv_odp_transport_cap_bits}. */
    public enum OnDemandOperation {
        /** {@code IBV_ODP_SUPPORT_SEND}. */
        SEND(Ibv.ODP_SUPPORT_SEND),
        /** {@code IBV_ODP_SUPPORT_RECV}. */
        RECV(Ibv.ODP_SUPPORT_RECV),
        /** {@code IBV_ODP_SUPPORT_WRITE}. */
        WRITE(Ibv.ODP_SUPPORT_WRITE),
        /** {@code IBV_ODP_SUPPORT_READ}. */
        READ(Ibv.ODP_SUPPORT_READ),
        /** {@code IBV_ODP_SUPPORT_ATOMIC}. */
        ATOMIC(Ibv.ODP_SUPPORT_ATOMIC),
        /** {@code IBV_ODP_SUPPORT_SRQ_RECV}. */
        SRQ_RECV(Ibv.ODP_SUPPORT_SRQ_RECV);

        private static final OnDemandOperation[] VALUES = values();
        private final int code;

        OnDemandOperation(int code) {
            this.code = code;
        }

        private static Set<OnDemandOperation> of(int bits) {
            EnumSet<OnDemandOperation> operations = EnumSet.noneOf(OnDemandOperation.class);
            for (OnDemandOperation operation : VALUES) {
                if ((bits & operation.code) != 0) {
                    operations.add(operation);
                }
            }
            return operations;
        }
    }

    static ExtendedDeviceAttributes of(DeviceAttrEx a) {
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
