package io.rdma.netty;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.lib.FfmVerbs;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.RdmaDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Device that refuses calls of libibverbs for want of memory, as long as a test wants it to. */
final class RefusingDevice {
    /** Calls that were refused so far. */
    final AtomicInteger refusals = new AtomicInteger();

    /** Number of times that the device is open. */
    final AtomicInteger open = new AtomicInteger();

    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final RdmaDevice device;

    /** Makes a device in front of the one with a name. */
    RefusingDevice(String name) {
        Verbs real = TestDevice.assumed(name).name().equals("soft0")
                ? SoftVerbs.shared()
                : FfmVerbs.ifAvailable().orElseThrow();
        Verbs verbs = (Verbs) Proxy.newProxyInstance(
                Verbs.class.getClassLoader(), new Class<?>[] {Verbs.class}, (proxy, method, arguments) -> {
                    if (refused.contains(method.getName())) {
                        refusals.incrementAndGet();
                        throw new VerbsException(method.getName(), Errno.ENOMEM, "the test refuses it");
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        switch (method.getName()) {
                            case "openDevice" -> open.incrementAndGet();
                            case "closeDevice" -> open.decrementAndGet();
                            default -> {}
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        device = DeviceOf.named(verbs, name);
    }

    /** Returns the device for applications. */
    RdmaDevice device() {
        return device;
    }

    /** Refuses all calls of a method of {@link Verbs} from now on. */
    void refuse(String method) {
        refused.add(method);
    }

    /** Refuses nothing any more. */
    void relent() {
        refused.clear();
    }
}
