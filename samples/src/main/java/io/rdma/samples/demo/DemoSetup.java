package io.rdma.samples.demo;

import io.rdma.types.AccessFlag;
import io.rdma.types.AtomicCapability;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.RdmaDevice;

/**
 * Device and address of the demo, the same for servers and clients.
 *
 * @param device name of the device
 * @param host address of this host, at which the servers listen
 * @param atomics whether the device has atomics: those of iWARP often have none
 */
record DemoSetup(String device, String host, boolean atomics) {
    static DemoSetup of(RdmaDevice device, String host) {
        try (DeviceContext context = device.open()) {
            return new DemoSetup(device.name(), host, context.queryDevice().atomicCap() != AtomicCapability.NONE);
        }
    }

    /** Returns the rights to the region of a server. */
    AccessFlag[] rights() {
        return atomics
                ? new AccessFlag[] {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC}
                : new AccessFlag[] {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ};
    }
}
