package io.rdma.connect;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

// Each read of a plain socket gets what is left of the time. A read of TLS takes as many reads of its socket as the
// peer likes, so a deadline that is passed by more than GRACE closes the socket under it. The grace is for a refusal.

/** Deadline of one exchange, from the connection of its socket to the readiness of both sides, TLS included. */
final class ExchangeDeadline implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final long LONGEST = Long.MAX_VALUE / 4; // that of nanoTime() and it is no overflow

    private final Duration timeout;
    private final long deadline;
    private final CompletableFuture<Void> met = new CompletableFuture<>();

    /**
     * Begins now.
     *
     * @param socket closed soon after the deadline, unless this is closed before; not owned
     */
    ExchangeDeadline(Socket socket, Duration timeout) {
        this.timeout = timeout;
        long nanos = nanos(timeout);
        deadline = System.nanoTime() + nanos;
        met.orTimeout(nanos + GRACE.toNanos(), TimeUnit.NANOSECONDS).whenComplete((done, late) -> {
            if (late != null) {
                Thread.startVirtualThread(() -> hangUp(socket));
            }
        });
    }

    /** The nanoseconds of a time-out of any length. */
    static long nanos(Duration timeout) {
        return timeout.compareTo(Duration.ofNanos(LONGEST)) < 0 ? timeout.toNanos() : LONGEST;
    }

    private static void hangUp(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(ExchangeDeadline.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }

    /**
     * The milliseconds that are left, at least 1, as a socket's time-out.
     *
     * @throws SocketTimeoutException if none are
     */
    int millisLeft() throws SocketTimeoutException {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw timedOut(null);
        }
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    /** The failure itself, or that time is up if it came after the deadline, which makes all others. */
    IOException meaning(IOException failure) {
        return System.nanoTime() - deadline >= 0 ? timedOut(failure) : failure;
    }

    private SocketTimeoutException timedOut(@org.jspecify.annotations.Nullable IOException cause) {
        SocketTimeoutException timedOut =
                new SocketTimeoutException("the exchange was not complete within its handshakeTimeout of " + timeout);
        if (cause != null) {
            timedOut.initCause(cause);
        }
        return timedOut;
    }

    /** The exchange is complete, or has failed: from now on the socket is not closed. */
    @Override
    public void close() {
        met.complete(null);
    }
}
