package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;

/** The only device of a library that a test made. */
public final class DeviceOf {
    private DeviceOf() {}

    /** Not yet open. */
    public static RdmaDevice only(Verbs verbs) {
        return new RdmaDevice(verbs, verbs.getDeviceList().getFirst(), true);
    }
}
