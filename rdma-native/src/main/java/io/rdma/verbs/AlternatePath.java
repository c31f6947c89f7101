package io.rdma.verbs;

import io.rdma.internal.ibv.AltPath;
import org.jspecify.annotations.Nullable;

/**
 * Alternate path of a queue pair, {@code IBV_QP_ALT_PATH} of {@code ibv_modify_qp(3)}: the path to which the queue pair
 * migrates when its path fails.
 *
 * @param path {@code alt_ah_attr}: the way to the peer's other address; it must name the same port as {@code portNum}
 * @param pkeyIndex {@code alt_pkey_index}: index of the partition
 * @param portNum {@code alt_port_num}, from 1
 * @param timeout {@code alt_timeout}: exponent of the acknowledge time-out after the migration, 0 to 31
 */
public record AlternatePath(AddressHandleAttributes path, int pkeyIndex, int portNum, int timeout) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number does not fit into its bits
     */
    public AlternatePath {
        AddressHandleAttributes.range("alternate partition index", pkeyIndex, 0xffff);
        AddressHandleAttributes.range("alternate port", portNum, 255);
        AddressHandleAttributes.range("alternate time-out", timeout, 31);
    }

    /**
     * Returns an alternate path from the port that the path names, in the partition at index 0.
     *
     * @param path way to the peer's other address
     * @param timeout exponent of the acknowledge time-out after the migration
     * @return the alternate path
     */
    public static AlternatePath of(AddressHandleAttributes path, int timeout) {
        return new AlternatePath(path, 0, path.port(), timeout);
    }

    /**
     * Converts an alternate path that a device reports. Ports count from 1, so port 0 means none. rdma_rxe reports a
     * route to {@code ::} then.
     */
    static @Nullable AlternatePath of(@Nullable AltPath reported) {
        return reported == null || reported.portNum() == 0
                ? null
                : new AlternatePath(
                        AddressHandleAttributes.of(reported.ahAttr()),
                        reported.pkeyIndex(),
                        reported.portNum(),
                        reported.timeout());
    }

    AltPath toAttr() {
        return new AltPath(path.toAttr(), pkeyIndex, portNum, timeout);
    }
}
