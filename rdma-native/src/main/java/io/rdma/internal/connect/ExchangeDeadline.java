package io.rdma.internal.connect;

import io.rdma.environment.Environment;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

// Each read of a plain socket has the remaining time as its time-out. One read of TLS may take any number of reads of
// its socket, as the peer likes, so the socket is closed once the deadline has passed by more than GRACE. The grace
// period leaves time to send a refusal.

/** Deadline of one exchange, from the connect of its socket until both sides are ready, TLS included. */
final class ExchangeDeadline implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final long LONGEST = Long.MAX_VALUE / 4; // does not overflow when added to nanoTime()

    private final Duration timeout;
    private final long deadline;
    private final Environment environment;
    private final Environment.Timer hangUp;

    /**
     * Starts the deadline.
     *
     * @param socket closed soon after the deadline, unless this is closed before; not owned
     */
    ExchangeDeadline(Environment environment, Socket socket, Duration timeout) {
        this.environment = environment;
        this.timeout = timeout;
        long nanos = nanos(timeout);
        deadline = environment.nanoTime() + nanos;
        hangUp = environment.startAfter(nanos + GRACE.toNanos(), "rdma-hang-up", () -> hangUp(socket));
    }

    /** Starts another deadline for the same or another socket. */
    ExchangeDeadline next(Socket socket, Duration allowed) {
        return new ExchangeDeadline(environment, socket, allowed);
    }

    /** Returns a time-out of any length in nanoseconds, at most {@link #LONGEST}. */
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

    /** Closes the socket of an exchange. A TLS socket with a time-out would wait that long for its peer's close. */
    static void close(Socket socket) throws IOException {
        try {
            socket.setSoTimeout(0);
        } catch (SocketException closed) { // by the deadline, or by the peer
            System.getLogger(ExchangeDeadline.class.getName()).log(System.Logger.Level.TRACE, "closed already", closed);
        }
        socket.close();
    }

    /**
     * Returns the remaining time for a socket's time-out: milliseconds, at least 1.
     *
     * @throws SocketTimeoutException if no time remains
     */
    int millisLeft() throws SocketTimeoutException {
        long left = (deadline - environment.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw timedOut(null);
        }
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    /**
     * Returns the failure of an operation of the socket, or else a time-out that names the deadline. A socket's own
     * time-out comes up to a millisecond before the deadline; after the deadline, any failure is due to its expiry.
     */
    IOException meaning(IOException failure) {
        return failure instanceof SocketTimeoutException || environment.nanoTime() - deadline >= 0
                ? timedOut(failure)
                : failure;
    }

    private SocketTimeoutException timedOut(@org.jspecify.annotations.Nullable IOException cause) {
        SocketTimeoutException timedOut =
                new SocketTimeoutException("the exchange was not complete within its handshakeTimeout of " + timeout);
        if (cause != null) {
            timedOut.initCause(cause);
        }
        return timedOut;
    }

    /** Cancels the deadline, as the exchange is complete or has failed: it no longer closes the socket. */
    @Override
    public void close() {
        hangUp.cancel();
    }
}
