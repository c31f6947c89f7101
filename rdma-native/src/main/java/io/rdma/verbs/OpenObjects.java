package io.rdma.verbs;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

// Invariants
// - An object counts from before the device makes it until the device has destroyed it. One that the device refuses to
// destroy goes on counting.
// - Nothing is made once the count is CLOSED, and it becomes CLOSED from 0 alone.

/**
 * The count of what was made directly of an open device: a device that still has any is not closed.
 * {@code ibv_close_device(3)} frees the context whatever still uses it, and a call on such an object then reads freed
 * memory. Any thread.
 */
final class OpenObjects {
    private static final int CLOSED = -1;

    private final AtomicInteger open = new AtomicInteger();

    /**
     * Makes an object, which says when it was destroyed.
     *
     * @throws IllegalStateException if the device is closed
     */
    <T extends NativeObject> T make(Supplier<T> making) {
        if (open.getAndUpdate(count -> count == CLOSED ? CLOSED : count + 1) == CLOSED) {
            throw new IllegalStateException("DeviceContext is closed");
        }
        try {
            return making.get();
        } catch (Throwable e) {
            destroyed();
            throw e;
        }
    }

    /** One object less. */
    void destroyed() {
        open.decrementAndGet();
    }

    /**
     * Closes the device if nothing of it is open.
     *
     * @throws VerbsException EBUSY if something is
     */
    void close(String device, Runnable closing) {
        int count = open.compareAndExchange(0, CLOSED);
        if (count != 0) {
            throw new VerbsException(
                    "ibv_close_device",
                    Errno.EBUSY,
                    count + " domains, completion queues, channels or device memories of " + device
                            + " are open: close them first");
        }
        try {
            closing.run();
        } catch (Throwable e) {
            open.set(0);
            throw e;
        }
    }
}
