package io.rdma.internal.soft.cm;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.soft.objects.Personality;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The device under the connection manager: its verbs, its address, and its queue pair 1. */
public interface CmDevice extends Verbs {
    /** Returns the name of the device. */
    String name();

    /** Returns whether the device has an IP address of its own, and so uses the well-known port. */
    boolean onOwnAddress();

    /** Returns the address at which the device listens, whether it is open or not. */
    InetAddress configured();

    /** Returns the class of devices that this one stands for. */
    Personality personality();

    /** Returns the MTU of the port, {@code IBV_MTU_*}. */
    int activeMtu();

    /** Notifies {@code listener} once, when the peer of a queue pair has used it. The listener must not block. */
    void onUse(int qpn, Runnable listener);

    /** Returns whether the manager connects queue pairs itself, as for iWARP. */
    boolean isIwarp();

    /**
     * Moves a queue pair to RTS.
     *
     * @param qpn number of the queue pair
     * @param toRtr attributes of the transition to RTR
     * @param toRts attributes of the transition to RTS
     * @param awaitsPeer whether its peer has to send first
     * @param onEnd runs once at the end of the queue pair; must not block
     * @throws io.rdma.types.VerbsException EINVAL if there is no such queue pair, or it cannot be moved
     */
    void bringUp(int qpn, CmQpAttr toRtr, CmQpAttr toRts, boolean awaitsPeer, Runnable onEnd);

    /** Sends a management datagram to another device's queue pair 1. A closed device drops it. */
    void sendManagement(byte[] mad, InetSocketAddress to);
}
