package io.rdma.internal.net;

import io.rdma.environment.Environment;
import io.rdma.internal.log.LimitedLog;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

// Invariants
// - Only the close of the socket ends the loop. Any other failure, such as EMFILE, repeats at once while its cause
//   lasts. So the loop waits before it tries again, and logs at most once a second.
// - The kernel releases the port when the thread has left accept(2), which may be after the close of the
//   socket has returned.

/** Loop that accepts TCP connections at one socket, on a thread of its own. */
public final class AcceptLoop {
    /** Pause after a failure. */
    static final long BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Handler of an accepted connection. Must not block. */
    public interface Begin {
        /**
         * Handles a connection.
         *
         * @param accepted owned by the handler
         * @throws IOException is logged, and the loop continues
         */
        void begin(Socket accepted) throws IOException;
    }

    private final ServerSocket socket;
    private final LimitedLog log;
    private final String failed;
    private final Begin begin;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /**
     * Creates a loop. It accepts nothing before {@link #start}.
     *
     * @param socket bound; owned from now on
     * @param log of connections that were not accepted
     * @param failed message of its records
     * @param begin handler of each connection
     */
    public AcceptLoop(ServerSocket socket, LimitedLog log, String failed, Begin begin) {
        this.socket = socket;
        this.log = log;
        this.failed = failed;
        this.begin = begin;
    }

    /**
     * Accepts connections until {@link #stop}. If no thread can be started, it closes the socket and throws.
     *
     * @param environment that starts the thread
     * @param name of the thread
     */
    public void start(Environment environment, String name) {
        try {
            environment.start(name, this::run);
        } catch (Throwable e) { // no memory for a thread
            stop();
            ended.complete(null);
            throw e;
        }
    }

    private void run() {
        try {
            while (!socket.isClosed()) {
                try {
                    begin.begin(socket.accept());
                } catch (Throwable e) { // any failure: a listener must not stop accepting silently
                    if (!socket.isClosed()) {
                        report(e);
                        LockSupport.parkNanos(this, BACK_OFF_NANOS);
                    }
                }
            }
        } finally {
            stop();
            ended.complete(null);
        }
    }

    private void report(Throwable failure) {
        try {
            log.log(Level.WARNING, failed, failure);
        } catch (Throwable e) {
            // a handler of the log failed: there is no other place to say so, and the loop must not stop for it
        }
    }

    /** Accepts no more. Does not wait. */
    public void stop() {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(AcceptLoop.class.getName()).log(Level.DEBUG, "close failed", e);
        }
    }

    /**
     * Accepts no more, and waits until the thread has left the socket. The port is free then. Only after
     * {@link #start}. An interrupt does not end the wait.
     */
    public void awaitEnd() {
        stop();
        ended.join();
    }
}
