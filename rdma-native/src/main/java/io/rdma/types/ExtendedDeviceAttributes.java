package io.rdma.types;

import io.rdma.internal.ibv.Ibv;
import java.util.EnumSet;
import java.util.Set;

/**
 * More capabilities of a device, {@code ibv_query_device_ex(3)}. All are 0 if the provider does not support the call.
 *
 * @param onDemand whether regions may be paged on demand, {@code IBV_ODP_SUPPORT}
 * @param implicitOnDemand whether one on-demand region may span all memory, {@code IBV_ODP_SUPPORT_IMPLICIT}
 * @param rcOnDemand operations of reliable connections that may use on-demand memory
 * @param ucOnDemand operations of unreliable connections that may use it
 * @param udOnDemand operations of datagrams that may use it
 * @param xrcOnDemand operations of extended reliable connections that may use it
 * @param completionTimestampMask valid bits of a completion's timestamp; 0 if there is none
 * @param hcaCoreClock frequency of the clock of those timestamps, kHz
 * @param deviceCapFlagsEx {@code IBV_DEVICE_*}, including those of {@link DeviceAttributes}
 * @param qpRateLimitMin lowest rate to which a queue pair can be limited, kbit/s
 * @param qpRateLimitMax highest such rate; 0 if the device limits none
 * @param pacedQueuePairTypes types of queue pairs whose rate can be limited: bits {@code 1 << IBV_QPT_*}
 * @param maxDmSize memory on the device, bytes; 0 if there is none
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
        long qpRateLimitMin,
        long qpRateLimitMax,
        int pacedQueuePairTypes,
        long maxDmSize) {

    /**
     * Returns the capabilities of the mask.
     *
     * @return the constants whose bits are in {@code deviceCapFlagsEx}
     */
    public Set<DeviceCapability> capabilities() {
        return DeviceCapability.of(deviceCapFlagsEx);
    }

    /** An operation for which on-demand memory may be used, {@code enum ibv_odp_transport_cap_bits}. */
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

        /**
         * Returns the operations of a bit mask.
         *
         * @param bits {@code IBV_ODP_SUPPORT_*}, ORed
         * @return the operations
         */
        public static Set<OnDemandOperation> of(int bits) {
            EnumSet<OnDemandOperation> operations = EnumSet.noneOf(OnDemandOperation.class);
            for (OnDemandOperation operation : VALUES) {
                if ((bits & operation.code) != 0) {
                    operations.add(operation);
                }
            }
            return operations;
        }
    }
}
