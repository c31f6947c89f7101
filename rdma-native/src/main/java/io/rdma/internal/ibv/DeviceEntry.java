package io.rdma.internal.ibv;

/**
 * A device of {@code ibv_get_device_list(3)}.
 *
 * @param name kernel name, such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
 * @param guid node GUID in host order
 * @param nodeType {@code IBV_NODE_*}
 * @param transportType {@code IBV_TRANSPORT_*}
 */
public record DeviceEntry(String name, long guid, int nodeType, int transportType) {}
