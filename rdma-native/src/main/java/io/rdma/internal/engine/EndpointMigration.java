package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.loop.BlockingTasks;
import io.rdma.types.AsyncEventType;
import io.rdma.types.PathMigrationState;
import io.rdma.types.RdmaException;
import io.rdma.verbs.AlternatePath;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairInfo;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// After a migration the path that was left becomes the alternate one: if it works again by the time that the other one
// fails, the connection returns to it. This side sets it only when the peer has migrated as well, because then its
// packets no longer ask the peer to migrate. A write of no bytes shows that: on the new path only a peer that has
// migrated acknowledges it. Such a write also shows whether a peer is there after the TCP connection of the exchange,
// which does not migrate, has broken.

/**
 * Path migration of a connection in the engine: it arms the alternate path, reports each migration, and arms the path
 * that was left. Thread-safe.
 */
public final class EndpointMigration {
    private final Endpoint endpoint;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private @Nullable AlternatePath current; // guarded by this; null if the connection has no alternate path
    private volatile int count;

    EndpointMigration(Endpoint endpoint, QueuePair queuePair, MemoryRegion memory) {
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.memory = memory;
    }

    /**
     * Sets an alternate path in RTS and has the device arm it, which it does by the next packets of both sides.
     *
     * @param alternate path to migrate to
     */
    public synchronized void arm(AlternatePath alternate) {
        current = path(queuePair.query());
        queuePair.modify(QueuePairAttributes.change().alternatePath(alternate).pathMigState(PathMigrationState.REARM));
    }

    private static AlternatePath path(QueuePairInfo of) {
        return new AlternatePath(Objects.requireNonNull(of.path()), of.pkeyIndex(), of.portNum(), of.timeout());
    }

    /** Returns the number of migrations. */
    int count() {
        return count;
    }

    /** Handles an event of path migration. Thread of the events. */
    void reported(AsyncEvent event) {
        if (event.type() == AsyncEventType.PATH_MIG_ERR) {
            log().log(
                            Level.WARNING,
                            "queue pair {0}: the peer migrated to the alternate path, which is not armed here, so the"
                                    + " connection will be lost (IBV_EVENT_PATH_MIG_ERR)",
                            Integer.toString(queuePair.number()));
            return;
        }
        count++; // one thread only
        endpoint.loop().counters().migration();
        log().log(
                        Level.WARNING,
                        "queue pair {0} lost its path, or its peer did, and migrated to the alternate one (IBV_EVENT_PATH_MIG):"
                                + " the connection goes on",
                        Integer.toString(queuePair.number()));
        try {
            AlternatePath left = left();
            if (left != null) {
                ask(() -> rearm(left), this::notArmed);
            }
        } catch (RuntimeException e) { // the connection ends
            notArmed(e);
        }
    }

    /**
     * Asks the peer, if the connection has or had an alternate path, whether it is still there: a write of no bytes is
     * acknowledged along the path of the connection, or by a migration along the alternate one. If it is not, the
     * connection is lost.
     *
     * @param loss the reason to doubt
     * @return false if the peer cannot be asked
     */
    public boolean ask(RdmaException loss) {
        synchronized (this) {
            if (current == null) {
                return false;
            }
        }
        try {
            ask(this::peerIsThere, error -> endpoint.peerLost(loss));
            return true;
        } catch (RuntimeException e) { // the connection ends
            return false;
        }
    }

    private void peerIsThere() {
        log().log(
                        Level.WARNING,
                        "queue pair {0} has lost the TCP connection of its exchange, but its peer answers: the connection goes"
                                + " on, and probes and the farewell alone notify it of the peer''s end",
                        Integer.toString(queuePair.number()));
    }

    private void ask(Runnable answered, Consumer<RuntimeException> failed) {
        RegisteredBuffer empty = RegisteredBuffer.of(memory, 0, 0);
        try {
            endpoint.submit(new Question(empty, answered, failed));
        } catch (RuntimeException e) {
            empty.close();
            throw e;
        }
    }

    /** Has the path that was left set again. Loop thread, so on another one, as the device may take its time. */
    private void rearm(AlternatePath left) {
        endpoint.loop().slowTasks().migrations().execute("rdma-rearm", new Rearming(left));
    }

    private final class Rearming implements BlockingTasks.Task {
        private final AlternatePath left;

        Rearming(AlternatePath left) {
            this.left = left;
        }

        @Override
        public void run() {
            try {
                queuePair.modify(
                        QueuePairAttributes.change().alternatePath(left).pathMigState(PathMigrationState.REARM));
            } catch (RuntimeException e) {
                notArmed(e);
            }
        }

        @Override
        public void goOn() {}

        @Override
        public void refused(Throwable reason) { // no thread
            notArmed(reason);
        }
    }

    /** Notes the path that is used now. Returns the one that was left, or null without an alternate path. */
    private synchronized @Nullable AlternatePath left() {
        AlternatePath left = current;
        if (left != null) {
            current = path(queuePair.query());
        }
        return left;
    }

    private void notArmed(Throwable e) {
        log().log(
                        endpoint.isClosing() ? Level.DEBUG : Level.WARNING,
                        "queue pair " + queuePair.number()
                                + " has no alternate path any more, as the one that it left was not armed",
                        e);
    }

    private static System.Logger log() { // loads the loggers of the JVM, so only when there is something to log
        return System.getLogger(EndpointMigration.class.getName());
    }

    /** Write of no bytes. Its acknowledgement shows that the peer is there, at the other end of the present path. */
    private static final class Question extends Operation {
        private final RegisteredBuffer source;
        private final Runnable answered;
        private final Consumer<RuntimeException> refused;

        Question(RegisteredBuffer source, Runnable answered, Consumer<RuntimeException> refused) {
            super(Probe.request(source));
            this.source = source;
            this.answered = answered;
            this.refused = refused;
        }

        @Override
        protected void completed(long value) {
            source.close();
            answered.run();
        }

        @Override
        protected void failed(RuntimeException error) {
            source.close();
            refused.accept(error);
        }
    }
}
