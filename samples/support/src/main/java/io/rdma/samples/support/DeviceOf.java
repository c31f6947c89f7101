package io.rdma.samples.support;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.verbs.RdmaDevice;
import java.lang.reflect.Constructor;

/** Devices that instruments make. They are not listed in {@code RdmaDevices}, whose list is for users. */
public final class DeviceOf {
    private DeviceOf() {}

    /** Returns the only device of a library, not yet open. */
    public static RdmaDevice only(Verbs verbs) {
        try {
            Constructor<RdmaDevice> constructor =
                    RdmaDevice.class.getDeclaredConstructor(Verbs.class, DeviceEntry.class);
            constructor.setAccessible(true);
            return constructor.newInstance(verbs, verbs.getDeviceList().getFirst());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("RdmaDevice cannot be created from Verbs any more: adapt this class", e);
        }
    }
}
