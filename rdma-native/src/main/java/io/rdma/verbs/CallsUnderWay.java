package io.rdma.verbs;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

// Invariants
// - A call is counted from before its thread reads the handle until the library has returned.
// - No call begins once the count is ENDED. The count becomes ENDED only from 0.

/**
 * The number of calls that are under way on an object which several threads use. The object is not destroyed meanwhile:
 * the library frees it at once, and the call would read freed memory. Any thread.
 */
final class CallsUnderWay {
    private static final int ENDED = -1;

    private final AtomicInteger calls = new AtomicInteger();
    private final String object;

    CallsUnderWay(String object) {
        this.object = object;
    }

    /**
     * Makes a call on the object.
     *
     * @throws IllegalStateException if the object is destroyed
     */
    <T> T make(Supplier<T> call) {
        if (calls.getAndUpdate(count -> count == ENDED ? ENDED : count + 1) == ENDED) {
            throw new IllegalStateException(object + " is closed");
        }
        try {
            return call.get();
        } finally {
            calls.decrementAndGet();
        }
    }

    /**
     * Destroys the object if no call is under way.
     *
     * @param name C's name of the call that destroys it
     * @throws VerbsException EBUSY if a call is under way
     */
    void end(String name, Runnable destroying) {
        int count = calls.compareAndExchange(0, ENDED);
        if (count != 0) {
            throw new VerbsException(
                    name, Errno.EBUSY, "Calls of other threads on it are under way: close it when they have returned");
        }
        try {
            destroying.run();
        } catch (Throwable e) {
            calls.set(0);
            throw e;
        }
    }
}
