package io.rdma.internal.soft.objects;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

// Invariant: each slot below `used` has an object or is one of the first `freed` in `free`, so that neither adding nor
// removing an object searches for a slot.

/**
 * Table of objects by handle. A handle consists of a slot (low 20 bits) and a serial number that is never reused, so
 * that a stale handle finds nothing. {@link #find} takes no lock and allocates nothing.
 */
public final class HandleTable {
    private static final int SLOT_BITS = 20;
    private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

    private volatile @Nullable SoftObject[] slots = new @Nullable SoftObject[64];
    private int used; // guarded by this, as all below
    private int[] free = new int[64];
    private int freed;
    private long serial;

    /**
     * Adds an object and sets its handle.
     *
     * @throws VerbsException ENOMEM if there are as many objects as handles
     */
    public synchronized long add(SoftObject object) {
        @Nullable SoftObject[] now = slots;
        if (freed == 0 && used > SLOT_MASK) {
            throw new VerbsException(
                    object.struct(), Errno.ENOMEM, "The software device has at most " + used + " objects: close some");
        }
        int slot = freed > 0 ? free[--freed] : used++;
        if (slot == now.length) {
            now = Arrays.copyOf(now, slot * 2);
        }
        object.handle = (++serial << SLOT_BITS) | slot;
        now[slot] = object;
        slots = now;
        return object.handle;
    }

    public synchronized void remove(SoftObject object) {
        @Nullable SoftObject[] now = slots;
        int slot = (int) object.handle & SLOT_MASK;
        if (now[slot] != object) {
            return;
        }
        if (freed == free.length) {
            free = Arrays.copyOf(free, 2 * freed);
        }
        free[freed++] = slot;
        now[slot] = null;
        slots = now;
    }

    public <T extends SoftObject> @Nullable T find(long handle, Class<T> kind) {
        @Nullable SoftObject[] now = slots;
        int slot = (int) handle & SLOT_MASK;
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
