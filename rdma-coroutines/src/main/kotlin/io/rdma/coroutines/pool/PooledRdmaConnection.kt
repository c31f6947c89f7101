package io.rdma.coroutines.pool

import io.rdma.coroutines.RdmaConnection
import java.util.concurrent.atomic.AtomicBoolean

/**
 * A connection that was acquired from an [RdmaConnectionPool]. The holder ends its use exactly once, by [release] or
 * [invalidate]; calls after the first one change nothing. It is not `AutoCloseable`, because `use` would return a
 * connection on which an answer may still arrive.
 */
public class PooledRdmaConnection internal constructor(
    private val queue: PoolQueue,
    private val entry: PoolEntry,
) {
    private val ended = AtomicBoolean()

    /** The connection, not to be used after the end of this use. */
    public val connection: RdmaConnection get() = entry.connection

    /**
     * Returns the connection to the pool. The pool closes it if it is closing already, too old, if messages wait in
     * it, or if the pool was closed. Does not wait.
     */
    public fun release() {
        if (ended.compareAndSet(false, true)) queue.put(entry)
    }

    /**
     * Aborts the connection instead of returning it, because an answer may still arrive on it. All users of the
     * connection get [cause]. Does not wait.
     */
    public fun invalidate(cause: Throwable) {
        if (ended.compareAndSet(false, true)) {
            try {
                connection.abort(cause)
            } finally {
                queue.put(entry) // which drops it, because it is closing
            }
        }
    }

    /** Returns the addresses of both ends, for messages and logs. */
    override fun toString(): String = "Pooled$connection"
}
