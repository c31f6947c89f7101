package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;

import io.rdma.internal.ibv.DeviceAttrEx;

/** {@code struct ibv_device_attr_ex} in native memory; offsets of 64-bit Linux. */
final class DeviceAttrExLayout {
    static final int SIZE = 400;
    static final int GENERAL_CAPS = 240;
    static final int RC_ODP_CAPS = 248;
    static final int UC_ODP_CAPS = 252;
    static final int UD_ODP_CAPS = 256;
    static final int COMPLETION_TIMESTAMP_MASK = 264;
    static final int HCA_CORE_CLOCK = 272;
    static final int DEVICE_CAP_FLAGS_EX = 280;
    static final int QP_RATE_LIMIT_MIN = 332;
    static final int QP_RATE_LIMIT_MAX = 336;
    static final int SUPPORTED_QPTS = 340; // of packet pacing
    static final int MAX_DM_SIZE = 376;
    static final int XRC_ODP_CAPS = 392;

    private DeviceAttrExLayout() {}

    static DeviceAttrEx read(long a) {
        return new DeviceAttrEx(
                getLong(a + GENERAL_CAPS),
                getInt(a + RC_ODP_CAPS),
                getInt(a + UC_ODP_CAPS),
                getInt(a + UD_ODP_CAPS),
                getInt(a + XRC_ODP_CAPS),
                getLong(a + COMPLETION_TIMESTAMP_MASK),
                getLong(a + HCA_CORE_CLOCK),
                getLong(a + DEVICE_CAP_FLAGS_EX),
                getInt(a + QP_RATE_LIMIT_MIN),
                getInt(a + QP_RATE_LIMIT_MAX),
                getInt(a + SUPPORTED_QPTS),
                getLong(a + MAX_DM_SIZE));
    }
}
