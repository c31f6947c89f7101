package io.rdma.internal.soft.cm;

import io.rdma.internal.ffi.Verbs;
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

    /** Returns the MTU of the port, {@code IBV_MTU_*}. */
    int activeMtu();

    /** Notifies {@code listener} once, when the peer of a queue pair has used it. The listener must not block. */
    void onUse(int qpn, Runnable listener);

    /** Sends a management datagram to another device's queue pair 1. A closed device drops it. */
    void sendManagement(byte[] mad, InetSocketAddress to);
}
