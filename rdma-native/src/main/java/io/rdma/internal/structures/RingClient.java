package io.rdma.internal.structures;

import io.rdma.internal.close.CloseSteps;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

// Invariants
// - A send gets its position when there is room, in the order of the calls, under the lock. From then on it is written,
// also if it was cancelled, because the consumer waits at that position.
// - tail - taken <= capacity. The consumer's word is read only if there is no room, by one read at a time.
// - If one entry cannot be written, no later one can be taken. So the first failure is the end of the ring.

/** A ring, as its producer uses it. Thread-safe. */
public final class RingClient {
    private final StructureAccess access;
    private final RingLayout layout;
    private final LinkedHashSet<Send> waiting = new LinkedHashSet<>(); // guarded by this, as are the fields below
    private long tail;
    private long taken;
    private boolean reading;
    private @Nullable Throwable failure;

    RingClient(StructureAccess access, StructureHeader header) {
        this.access = access;
        this.layout = header.ring();
    }

    /** Returns the largest entry in bytes. */
    public int maxEntry() {
        return layout.maxEntry();
    }

    /** Returns the number of sends that wait for room. */
    synchronized int waiting() {
        return waiting.size();
    }

    /**
     * Sends an entry. The call ends when it is in the consumer's memory. One that is cancelled while it waits for room
     * is not sent.
     *
     * @throws IllegalArgumentException if the entry is too long
     */
    public StructureCall<Boolean> send(byte[] entry, StructureCall.Outcome<? super Boolean> outcome) {
        if (entry.length > maxEntry()) {
            throw new IllegalArgumentException("an entry of " + entry.length
                    + " bytes does not fit into this ring, which takes " + maxEntry() + ": allocate a larger ring");
        }
        return new Send(entry.clone(), outcome).start();
    }

    private final class Send extends StructureCall<Boolean> {
        private final byte[] entry;
        private long filler; // position, if it is not the one of the entry
        private long position;

        Send(byte[] entry, Outcome<? super Boolean> outcome) {
            super(RingClient.this.access, outcome);
            this.entry = entry;
        }

        @Override
        void attempt() {
            synchronized (RingClient.this) {
                waiting.add(this);
            }
            drain();
        }

        @Override
        void cancelled() {
            synchronized (RingClient.this) {
                waiting.remove(this); // else cancelled sends would pile up behind one that waits
            }
        }

        /** Writes the entry. What is thrown, such as a lack of memory, leaves a gap. */
        void write() {
            try {
                writeBehindFiller();
            } catch (Throwable e) {
                lost(e);
            }
        }

        /** Writes the entry, and a filler before it if it does not fit before the end of the round. */
        private void writeBehindFiller() {
            if (filler != position) {
                access.write(layout.offset(filler), layout.filler(filler), () -> {}, RingClient.this::broken);
                Throwable refused = failure();
                if (refused != null) { // the consumer would never come to the entry
                    fail(refused);
                    return;
                }
            }
            access.write(
                    layout.offset(position),
                    layout.encode(position, entry),
                    () -> guarded(() -> succeed(true)),
                    this::lost);
        }

        private void lost(Throwable error) {
            broken(error);
            fail(error);
        }
    }

    /** Writes the entries for which there is room. */
    private void drain() {
        Send next;
        while ((next = withRoom()) != null) {
            next.write();
        }
    }

    /** Takes the first send that waits, and its positions. Returns null if there is none, or no room for it. */
    private @Nullable Send withRoom() {
        synchronized (this) {
            Send next = first();
            if (next == null) {
                return null;
            }
            if (failure == null) {
                int room = RingLayout.room(next.entry.length);
                int rest = layout.rest(tail);
                long position = room > rest ? tail + rest : tail;
                if (position + room - taken <= layout.capacity()) {
                    next.filler = tail;
                    next.position = position;
                    tail = position + room;
                    return waiting.removeFirst();
                }
                if (reading) {
                    return null;
                }
                reading = true;
            }
        }
        Throwable broken = failure();
        if (broken == null) {
            look();
        } else {
            broken(broken);
        }
        return null;
    }

    /** Returns the first send that waits. Under the lock. */
    private @Nullable Send first() {
        while (!waiting.isEmpty()) {
            Send next = waiting.getFirst();
            if (!next.isOver()) {
                return next;
            }
            waiting.removeFirst();
        }
        return null;
    }

    private void look() {
        try {
            new Look().start();
        } catch (Throwable e) { // such as a lack of stack: nobody else would look for room
            broken(e);
        }
    }

    private synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Ends the ring: an entry will be missing. */
    private void broken(Throwable error) {
        List<Send> lost;
        Throwable first;
        synchronized (this) {
            if (failure == null) {
                failure = error;
            }
            first = failure;
            lost = List.copyOf(waiting);
            waiting.clear();
        }
        CloseSteps steps = new CloseSteps();
        lost.forEach(send -> steps.run(() -> send.fail(first)));
        steps.log(RingClient.class, "a listener failed as a ring ended");
    }

    private synchronized boolean hasWaiting() {
        return first() != null;
    }

    /** Handles the end of a look at the consumer's word. */
    private final class Looked implements StructureCall.Outcome<Long> {
        @Override
        public void succeeded(@Nullable Long position) {
            synchronized (RingClient.this) {
                reading = false;
                if (position != null) {
                    taken = position;
                }
            }
            drain();
        }

        @Override
        public void failed(Throwable error) {
            broken(error);
        }
    }

    /** Reads of the consumer's word until it has changed, or no send waits any more. */
    private final class Look extends StructureCall<Long> {
        Look() {
            super(RingClient.this.access, new Looked());
        }

        @Override
        void attempt() {
            if (!hasWaiting()) {
                succeed(null);
                return;
            }
            read(layout.consumer(), RingLayout.CONSUMER, bytes -> {
                long position = RingLayout.taken(bytes);
                if (position < 0 || isKnown(position)) {
                    pause();
                } else {
                    succeed(position);
                }
            });
        }

        private boolean isKnown(long position) {
            synchronized (RingClient.this) {
                if (position < taken || position > tail) {
                    throw new StructureException(
                            Reason.CORRUPT,
                            "the consumer has taken entries up to " + position + ", which lies not between " + taken
                                    + " and " + tail + ": something else writes into the ring, so allocate a new one");
                }
                return position == taken;
            }
        }
    }
}
