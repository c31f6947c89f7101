package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.verbs.DeviceContext;

/** Selection of a partition by its key, in the table of a port. */
final class PartitionSelector {
    private static final int MEMBERSHIP = 0x8000;

    private PartitionSelector() {}

    /** Returns the index of a partition; of its entries, one with full membership comes first. */
    static int indexOf(DeviceContext device, int key, int port, int length) {
        int limited = -1;
        StringBuilder found = new StringBuilder();
        for (int i = 0; i < length; i++) {
            int there = device.queryPkey(port, i);
            if ((there & ~MEMBERSHIP) == (key & ~MEMBERSHIP)) {
                if ((there & MEMBERSHIP) != 0) {
                    return i;
                }
                limited = limited < 0 ? i : limited;
            }
            if ((there & ~MEMBERSHIP) != 0) {
                found.append(found.isEmpty() ? "" : ", ").append(hex(there));
            }
        }
        if (limited < 0) {
            throw PathWishes.refusal(
                    device,
                    Reason.DEVICE,
                    "partitionKey",
                    hex(key),
                    "port " + port + " belongs to the partitions " + found);
        }
        return limited;
    }

    private static String hex(int key) {
        return String.format("0x%04x", key);
    }
}
