package io.rdma.internal.log;

import io.rdma.environment.Environment;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Log of one place in the code, with at most one record a second. Each record has the number of records that were
 * omitted since the previous one. Any thread.
 */
public final class LimitedLog {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Class<?> of;
    private final LongSupplier clock;
    private final AtomicLong next;
    private final LongAdder left = new LongAdder();

    /**
     * Creates a log.
     *
     * @param of the class whose logger it uses
     */
    public LimitedLog(Class<?> of) {
        this(of, Environment.SYSTEM::nanoTime);
    }

    /**
     * Creates a log with a clock of its own.
     *
     * @param of the class whose logger it uses
     * @param clock nanoseconds, as {@link System#nanoTime}
     */
    LimitedLog(Class<?> of, LongSupplier clock) {
        this.of = of;
        this.clock = clock;
        next = new AtomicLong(clock.getAsLong());
    }

    /**
     * Logs a record, or counts it as omitted.
     *
     * @param level of the record
     * @param message of the record
     * @param cause with its stack, or null
     */
    public void log(Level level, String message, @Nullable Throwable cause) {
        long due = next.get();
        long now = clock.getAsLong();
        if (now - due < 0 || !next.compareAndSet(due, now + INTERVAL_NANOS)) {
            left.increment();
            return;
        }
        long others = left.sumThenReset();
        String text = others == 0 ? message : message + " (and " + others + " more since the last record)";
        System.Logger logger = System.getLogger(of.getName());
        if (cause == null) {
            logger.log(level, text);
        } else {
            logger.log(level, text, cause);
        }
    }
}
