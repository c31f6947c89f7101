package io.rdma.internal.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicBoolean;

// Invariant: nothing waits for this thread, and nothing depends on its outcome. It initialises no class of this library
// whose initialisation could fail without native access. Code that needs a step which failed here repeats the step, and
// fails as if this thread had never run.

/**
 * Preparation of the JDK on a thread of its own: the first use of the linker, of the handles of native memory and of
 * secure random numbers takes tens of milliseconds.
 */
public final class Preparation {
    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private Preparation() {}

    /** Starts the thread, on the first call only. */
    public static void begin() {
        if (BEGUN.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("rdma-prepare").start(Preparation::run);
        }
    }

    private static void run() {
        try {
            if (SixLongs.supported()) {
                SixLongs.prepare();
            }
            new SecureRandom().nextInt(); // the JDK looks for its provider among a hundred classes
            MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES);
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            memory.set(ValueLayout.JAVA_INT_UNALIGNED, 0, memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
            memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0));
        } catch (Throwable e) {
            // See the invariant: the code that needs it will fail by itself.
        }
    }
}
