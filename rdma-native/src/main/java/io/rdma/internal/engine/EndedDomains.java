package io.rdma.internal.engine;

import io.rdma.internal.close.CloseSteps;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

// Invariants
// - One thread at a time tries to close a domain. A second close of an object does nothing, so a second thread would
// take a domain for closed whose close is about to be refused.
// - A domain is in `used` from its allocation until it is closed or in `held`. The thread that ends a connection may do
// that after the connection counts as closed, so the close of the device waits for it.

/**
 * Protection domains of connections that have ended. The device refuses to close a domain (EBUSY) while the application
 * still holds a message or buffer of it. Such a domain is kept here and is closed later: before a new domain is
 * allocated, or with the device.
 */
final class EndedDomains {
    private static final int TRIES = 3;

    /** More than one, so that domains that can be closed grow fewer while connections come and go. */
    private static final int DOMAINS_FOR_AN_ALLOCATION = 8;

    private static final long MOMENT_NANOS = 500_000_000;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final long PATIENT_PAUSE_NANOS = 50_000_000;

    private final DeviceContext context;

    /** Under its own monitor, which no system call holds. In the order in which they are tried. */
    private final Set<ProtectionDomain> held = new LinkedHashSet<>();

    private final Set<ProtectionDomain> used = new HashSet<>(); // under the monitor of `held`

    EndedDomains(DeviceContext context) {
        this.context = context;
    }

    /** Adds a domain of a connection, which {@link #add} will end. */
    void begin(ProtectionDomain allocated) {
        synchronized (held) {
            used.add(allocated);
        }
    }

    /** Closes a domain as soon as nothing of it is held any more. Once for each domain; on a loop, too. */
    void add(ProtectionDomain ended) {
        boolean closed = isClosed(ended); // no other thread tries it yet
        synchronized (held) {
            used.remove(ended);
            if (!closed) {
                held.add(ended);
            }
        }
    }

    /**
     * Closes some of the domains of which nothing is held any more. An allocation calls this, so its time must not grow
     * with the number of domains. Those that stay open are tried again behind the others. Not on a loop: it is a system
     * call for each.
     */
    void closeSome() {
        close(DOMAINS_FOR_AN_ALLOCATION);
    }

    /**
     * Closes the domains of which nothing is held any more.
     *
     * @return whether all are closed, and no connection has one
     */
    private boolean closeUnused() {
        close(Integer.MAX_VALUE);
        synchronized (held) {
            return held.isEmpty() && used.isEmpty();
        }
    }

    private synchronized void close(int most) {
        List<ProtectionDomain> first;
        synchronized (held) {
            first = held.stream().limit(most).toList();
        }
        List<ProtectionDomain> open =
                first.stream().filter(one -> !isClosed(one)).toList();
        synchronized (held) {
            first.forEach(held::remove);
            held.addAll(open);
        }
    }

    /**
     * Tries to close a domain.
     *
     * @return false if it is still in use (EBUSY); true also where the device refuses the close for good
     */
    private static boolean isClosed(ProtectionDomain one) {
        for (int tries = 1; ; tries++) {
            try {
                one.close();
                return true;
            } catch (Throwable e) {
                if (e instanceof VerbsException refused && refused.errno() == Errno.EBUSY) {
                    return false;
                }
                if (tries == TRIES) {
                    log().log(Level.WARNING, "a protection domain was not closed", e);
                    return true;
                }
            }
        }
    }

    /** Closes all domains and then the device; on a thread of its own if something is still held after a moment. */
    void closeWithDevice(CloseSteps steps) {
        if (closeWithin(MOMENT_NANOS, PAUSE_NANOS)) {
            steps.run(context::close);
        } else {
            // ibv_close_device(3) frees the context even if regions use it, so the close waits for the last region.
            context.environment().start("rdma-held-device", () -> {
                closeWithin(Long.MAX_VALUE / 2, PATIENT_PAUSE_NANOS);
                closeLate();
            });
        }
    }

    private boolean closeWithin(long nanos, long pauseNanos) {
        long deadline = context.environment().nanoTime() + nanos;
        while (!closeUnused()) {
            if (context.environment().nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(pauseNanos);
        }
        return true;
    }

    /** Closes the device. No caller is left to get a failure, so it is logged. */
    private void closeLate() {
        try {
            context.close();
        } catch (Throwable e) {
            log().log(Level.WARNING, context.name() + " was not closed", e);
        }
    }

    private static System.Logger log() {
        return System.getLogger(EndedDomains.class.getName());
    }
}
