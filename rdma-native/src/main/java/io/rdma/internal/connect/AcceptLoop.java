package io.rdma.internal.connect;

import io.rdma.internal.log.LimitedLog;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

// Invariant: only the close of the socket ends the loop. Any other failure, such as EMFILE, repeats at once while its
// cause lasts. So the loop waits before it tries again, and logs at most once a second.

/** Loop that accepts the TCP connections of a {@link RdmaListener}. */
final class AcceptLoop {
    /** Pause after a failure. */
    static final long BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Handler of an accepted connection. */
    interface Begin {
        void begin(Socket accepted) throws IOException;
    }

    private final ServerSocket socket;
    private final Begin begin;
    private final LimitedLog log = new LimitedLog(RdmaListener.class);

    AcceptLoop(ServerSocket socket, Begin begin) {
        this.socket = socket;
        this.begin = begin;
    }

    /** Accepts until the socket is closed. */
    void run() {
        while (!socket.isClosed()) {
            try {
                begin.begin(socket.accept());
            } catch (Throwable e) { // any failure: a server must not stop accepting silently
                if (!socket.isClosed()) {
                    log.log(
                            Level.WARNING,
                            "a client's connection was not accepted; the listener goes on. If the limit of open files"
                                    + " was reached, raise it with ulimit -n",
                            e);
                    LockSupport.parkNanos(this, BACK_OFF_NANOS);
                }
            }
        }
    }
}
