package io.rdma.internal.soft.cm;

import io.rdma.internal.ffi.Verbs;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The device under the connection manager: its verbs, its address, and its queue pair 1. */
public interface CmDevice extends Verbs {
    /** Whether it has an address of its own, with the port that all devices know. */
    boolean onOwnAddress();

    /** The address at which it listens, open or not. */
    InetAddress configured();

    /** {@code IBV_MTU_*} of its port. */
    int activeMtu();

    /** Notifies {@code listener} once, when the peer of a queue pair has used it. The listener must not block. */
    void onUse(int qpn, Runnable listener);

    /** Sends a management datagram to another device's queue pair 1. A closed device drops it. */
    void sendManagement(byte[] mad, InetSocketAddress to);
}
