package io.rdma.verbs;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

// Invariants
// - An object is counted from before the device creates it until the device has destroyed it. An object that the device
// refuses to destroy stays counted.
// - No object is created once the count is CLOSED. The count becomes CLOSED only from 0.

/**
 * The number of objects that were created directly on an open device. A device that still has any is not closed:
 * {@code ibv_close_device(3)} frees the context even if objects still use it, and a later call on such an object would
 * read freed memory. Any thread.
 */
final class OpenObjects {
    private static final int CLOSED = -1;

    private final AtomicInteger open = new AtomicInteger();

    /**
     * Creates and counts an object, which calls {@link #destroyed} once it is destroyed.
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

    /** Subtracts one object from the count. */
    void destroyed() {
        open.decrementAndGet();
    }

    /**
     * Closes the device if none of its objects is open.
     *
     * @throws VerbsException EBUSY if an object is open
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
