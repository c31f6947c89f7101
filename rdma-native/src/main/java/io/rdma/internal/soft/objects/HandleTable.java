package io.rdma.internal.soft.objects;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Table of objects by handle. A handle consists of a slot (low 20 bits) and a serial number that is never reused, so
 * that a stale handle finds nothing. {@link #find} takes no lock and allocates nothing.
 */
public final class HandleTable {
    private static final int SLOT_BITS = 20;

    private volatile @Nullable SoftObject[] slots = new @Nullable SoftObject[64];
    private long serial;

    public synchronized long add(SoftObject object) {
        @Nullable SoftObject[] now = slots;
        int slot = 0;
        while (slot < now.length && now[slot] != null) {
            slot++;
        }
        if (slot == now.length) {
            now = java.util.Arrays.copyOf(now, slot * 2);
        }
        object.handle = (++serial << SLOT_BITS) | slot;
        now[slot] = object;
        slots = now;
        return object.handle;
    }

    public synchronized void remove(SoftObject object) {
        @Nullable SoftObject[] now = slots;
        now[(int) (object.handle & ((1 << SLOT_BITS) - 1))] = null;
        slots = now;
    }

    public <T extends SoftObject> @Nullable T find(long handle, Class<T> kind) {
        @Nullable SoftObject[] now = slots;
        int slot = (int) (handle & ((1 << SLOT_BITS) - 1));
        SoftObject object = slot < now.length ? now[slot] : null;
        return object != null && object.handle == handle && kind.isInstance(object) ? kind.cast(object) : null;
    }

    /** Returns all objects of a class. */
    public <T extends SoftObject> List<T> all(Class<T> kind) {
        List<T> found = new ArrayList<>();
        for (@Nullable SoftObject object : slots) {
            if (kind.isInstance(object)) {
                found.add(kind.cast(object));
            }
        }
        return found;
    }
}
