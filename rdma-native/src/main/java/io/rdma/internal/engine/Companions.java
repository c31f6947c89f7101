package io.rdma.internal.engine;

import io.rdma.internal.close.CloseSteps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

// Invariant: everything is guarded by the monitor, under which objects are made. So there is one of each type.

/** Objects that layers above need once for a device. Each is made for the first that asks for it. Thread-safe. */
final class Companions {
    private final Map<Class<?>, AutoCloseable> objects = new HashMap<>();
    private boolean closed;

    /**
     * Returns the object of a type; makes it if there is none yet.
     *
     * @throws IllegalStateException if the resources are closed
     */
    synchronized <T extends AutoCloseable> T get(Class<T> type, Supplier<? extends T> made) {
        if (closed) {
            throw new IllegalStateException("the resources are closed: open new ones");
        }
        AutoCloseable known = objects.get(type);
        if (known == null) {
            known = made.get();
            objects.put(type, known);
        }
        return type.cast(known);
    }

    /** Closes all objects, without the monitor. No more are made. */
    void close(CloseSteps steps) {
        List<AutoCloseable> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(objects.values());
            objects.clear();
        }
        left.forEach(object -> steps.run(object::close));
    }
}
