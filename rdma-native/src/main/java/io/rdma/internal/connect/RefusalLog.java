package io.rdma.internal.connect;

import io.rdma.environment.Environment;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Invariant: while `summing`, a summary is scheduled, and only the summary logs.

/**
 * Log of the clients that one server refuses. It writes at most one line a second, so that clients cannot fill a disk.
 * Any thread.
 */
final class RefusalLog {
    private static final long A_SECOND = 1_000_000_000;

    private final Supplier<Logger> log; // looked up when there is something to log
    private final Executor aSecondLater;
    private boolean summing;
    private long more; // since the last line
    private String last = "";
    private Level level = Level.INFO; // the most severe since the last line

    RefusalLog(Supplier<Logger> log, Environment environment) {
        this(log, task -> environment.startAfter(A_SECOND, "rdma-refusals", task));
    }

    /**
     * Creates a log with a scheduler of its own.
     *
     * @param aSecondLater runs a task after a second
     */
    RefusalLog(Supplier<Logger> log, Executor aSecondLater) {
        this.log = log;
        this.aSecondLater = aSecondLater;
    }

    /**
     * Logs that a client was refused, now or in the next summary.
     *
     * @param client its address, null if it is not known
     * @param why the reason with its remedy, in which text of a peer is already escaped
     * @param details or null
     */
    void refused(Level severity, @Nullable SocketAddress client, String why, @Nullable Throwable details) {
        String who = client == null ? "a client" : client.toString();
        synchronized (this) {
            if (summing) {
                more++;
                last = who + ": " + why;
                level = severity.getSeverity() > level.getSeverity() ? severity : level;
                return;
            }
            summing = true;
        }
        log.get().log(severity, "a connection was not established, " + who + ": " + why);
        if (details != null) {
            log.get().log(Level.DEBUG, "details", details);
        }
        aSecondLater.execute(this::sumUp);
    }

    private void sumUp() {
        Level severity;
        String text;
        synchronized (this) {
            if (more == 0) {
                summing = false;
                return;
            }
            severity = level;
            text = more + " more connections were not established within a second, the last one " + last;
            more = 0;
            level = Level.INFO;
        }
        log.get().log(severity, text);
        aSecondLater.execute(this::sumUp);
    }
}
