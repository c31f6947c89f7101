package io.rdma.verbs;

import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.SoftVerbs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

/** An event channel of a software device's connection manager whose waits fail on demand. */
public final class CmChannelOf {
    private CmChannelOf() {}

    /**
     * Creates a channel.
     *
     * @param verbs a software device
     * @param failure exception that each wait throws while it is set; null for none
     */
    public static CmEventChannel failing(Verbs verbs, AtomicReference<Throwable> failure) {
        Rdmacm real = ((SoftVerbs) verbs).rdmacm();
        Rdmacm failing = (Rdmacm) Proxy.newProxyInstance(
                Rdmacm.class.getClassLoader(), new Class<?>[] {Rdmacm.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("pollEventChannel")) {
                        Throwable thrown = failure.get();
                        if (thrown != null) {
                            throw thrown;
                        }
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new CmEventChannel(verbs, failing);
    }
}
