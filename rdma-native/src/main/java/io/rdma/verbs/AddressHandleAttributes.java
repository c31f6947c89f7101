package io.rdma.verbs;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.types.Gid;
import org.jspecify.annotations.Nullable;

/**
 * The path to a destination, {@code struct ibv_ah_attr} in {@code ibv_create_ah(3)}. It describes an
 * {@link AddressHandle} or the connection of a queue pair.
 *
 * @param route global route; null only within one InfiniBand subnet. RoCE always needs one
 * @param dlid LID of the destination; 0 on Ethernet
 * @param serviceLevel 0 to 15; on Ethernet it selects the priority
 * @param srcPathBits path bits of the local LID
 * @param staticRate {@code enum ibv_rate}; 0 is the rate of the port
 * @param port local port, from 1
 */
public record AddressHandleAttributes(
        @Nullable GlobalRoute route, int dlid, int serviceLevel, int srcPathBits, int staticRate, int port) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number does not fit into its bits
     */
    public AddressHandleAttributes {
        range("LID", dlid, 0xffff);
        range("service level", serviceLevel, 15);
        range("path bits", srcPathBits, 127);
        range("static rate", staticRate, 255);
        range("port", port, 255);
    }

    static void range(String what, int value, int most) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(what + " must be from 0 to " + most + ", not " + value);
        }
    }

    /**
     * Returns a path by GID: on RoCE always, on InfiniBand between subnets.
     *
     * @param route route to the destination
     * @param port local port, from 1
     * @return the path
     */
    public static AddressHandleAttributes of(GlobalRoute route, int port) {
        return new AddressHandleAttributes(route, 0, 0, 0, 0, port);
    }

    /**
     * Returns a path by LID, within one InfiniBand subnet.
     *
     * @param dlid LID of the destination
     * @param port local port, from 1
     * @return the path
     */
    public static AddressHandleAttributes of(int dlid, int port) {
        return new AddressHandleAttributes(null, dlid, 0, 0, 0, port);
    }

    /**
     * Returns the path back to the sender of a datagram, {@code ibv_init_ah_from_wc(3)}, with a local GID that the
     * caller chooses.
     *
     * @param batch completions that contain the one of the receive
     * @param index index of that completion
     * @param header the first 40 bytes of the receive; null if the completion reports no global routing header
     * @param sgidIndex index of the local GID from which to answer
     * @param port port on which the datagram arrived
     * @return the path
     */
    public static AddressHandleAttributes answering(
            CompletionBatch batch, int index, @Nullable GlobalRoutingHeader header, int sgidIndex, int port) {
        return new AddressHandleAttributes(
                header == null ? null : header.answer(sgidIndex),
                batch.sourceLid(index),
                batch.serviceLevel(index),
                batch.destinationPathBits(index),
                0,
                port);
    }

    /**
     * Returns a copy with another service level.
     *
     * @param level 0 to 15
     * @return a copy
     */
    public AddressHandleAttributes withServiceLevel(int level) {
        return new AddressHandleAttributes(route, dlid, level, srcPathBits, staticRate, port);
    }

    /**
     * Returns a copy with another LID.
     *
     * @param lid LID of the destination
     * @return a copy
     */
    public AddressHandleAttributes withDlid(int lid) {
        return new AddressHandleAttributes(route, lid, serviceLevel, srcPathBits, staticRate, port);
    }

    /**
     * Returns a copy with another global route.
     *
     * @param other route to the destination; null only within one InfiniBand subnet
     * @return a copy
     */
    public AddressHandleAttributes withRoute(@Nullable GlobalRoute other) {
        return new AddressHandleAttributes(other, dlid, serviceLevel, srcPathBits, staticRate, port);
    }

    static AddressHandleAttributes of(AhAttr a) {
        GlobalRoute route = a.isGlobal()
                ? new GlobalRoute(
                        Gid.of(a.dgid()), a.flowLabel() & 0xfffff, a.sgidIndex(), a.hopLimit(), a.trafficClass())
                : null;
        return new AddressHandleAttributes(route, a.dlid(), a.sl(), a.srcPathBits(), a.staticRate(), a.portNum());
    }

    AhAttr toAttr() {
        GlobalRoute r = route;
        return r == null
                ? new AhAttr(new byte[16], 0, 0, 0, 0, dlid, serviceLevel, srcPathBits, staticRate, false, port)
                : new AhAttr(
                        r.dgid().bytes(),
                        r.flowLabel(),
                        r.sgidIndex(),
                        r.hopLimit(),
                        r.trafficClass(),
                        dlid,
                        serviceLevel,
                        srcPathBits,
                        staticRate,
                        true,
                        port);
    }
}
