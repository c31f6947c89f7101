package io.rdma.internal.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicBoolean;

// Invariant: nothing waits for this, and nothing depends on how it ends. It initialises no class of ours that could
// fail to be without native access: who needs what failed here does it again, and fails as if this had never been.

/**
 * The first use of the linker, of the handles of native memory and of secure random numbers, which takes the JDK tens
 * of milliseconds, on a thread of its own.
 */
public final class Preparation {
    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private Preparation() {}

    /** Begins, the first time. */
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
            new SecureRandom().nextInt(); // it looks for its provider among a hundred classes
            MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES);
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            memory.set(ValueLayout.JAVA_INT_UNALIGNED, 0, memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
            memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0));
        } catch (Throwable e) {
            // The invariant: there is nobody to tell here.
        }
    }
}
