package io.rdma.samples.simulation.world;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.types.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

// Layout of the memory: a counter that all threads of the client add to, then a lane for each thread. A lane is a word
// for compare-and-swap, then bytes.
// Model of a lane: what each byte is, or that it is unknown. An operation that failed or was cancelled may have been
// executed or not, and makes its target unknown, until a later write of the same connection succeeds.

/** One-sided operations of a client on the memory that the server lends it, compared with a model of that memory. */
final class MemoryWork {
    static final int COUNTER = 8;
    static final int LANE = 256;
    private static final int WORD = 8;
    private static final int ONE_IN = 8; // operations that are cancelled
    private static final long LONGEST_WAIT = 100_000;
    private static final short UNKNOWN = -1;

    private final Session session;
    private final Host host;
    private final Link link;
    private final RemoteMemory memory;
    private final Verdict verdict;
    private final Set<Long> tickets = new HashSet<>();
    private long additions;

    MemoryWork(Session session, Host host, Link link, RemoteMemory memory, Verdict verdict) {
        this.session = session;
        this.host = host;
        this.link = link;
        this.memory = memory;
        this.verdict = verdict;
    }

    /** Starts the threads. Returns what completes when all have ended. */
    CompletableFuture<Void> start(MemoryPlan plan, Choices choices) {
        CompletableFuture<?>[] threads = new CompletableFuture<?>[plan.threads()];
        for (int i = 0; i < threads.length; i++) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            Lane lane = new Lane(i, choices.split());
            host.run("memory " + i, () -> {
                try {
                    lane.work(plan.operations());
                } catch (RuntimeException | Error e) {
                    verdict.failure(session + " memory", host, e);
                } finally {
                    end.complete(null);
                }
            });
            threads[i] = end;
        }
        return CompletableFuture.allOf(threads);
    }

    /** Work of one thread. */
    private final class Lane {
        private final String name;
        private final RemoteMemory there;
        private final Choices choices;
        private final short[] bytes = new short[LANE - WORD];
        private long word;
        private boolean wordKnown = true;
        private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

        Lane(int number, Choices choices) {
            name = session + " memory " + number + " ";
            there = memory.slice(COUNTER + (long) number * LANE, LANE);
            this.choices = choices;
        }

        /** Works until all is done, or until the connection ends. */
        void work(int operations) {
            boolean open = true;
            for (int i = 0; i < operations && open; i++) {
                open = switch (choices.below(4)) {
                    case 0 -> write(choices.below(bytes.length));
                    case 1 -> read(choices.below(bytes.length));
                    case 2 -> add();
                    default -> swap();
                };
                last.join(); // a cancelled call that still runs might take effect behind the next one
            }
        }

        /** Returns whether the call succeeded. Cancels it at some moment, now and then. */
        private boolean done(Call<?> call) {
            session.started(call);
            if (choices.oneIn(ONE_IN)) {
                if (choices.oneIn(2)) {
                    LockSupport.parkNanos(1 + choices.below(LONGEST_WAIT));
                }
                call.cancel();
                last = call.gone();
            }
            return call.succeeds();
        }

        private boolean isOpen() {
            return !link.endpoint().isClosing();
        }

        private int length(int at, RegisteredBuffer buffer) {
            return 1 + choices.below(Math.min(bytes.length - at, buffer.capacity()));
        }

        private boolean write(int at) {
            byte first = (byte) choices.below(256);
            Call<RegisteredBuffer> acquiring = link.acquire(name + "acquire");
            if (!done(acquiring)) {
                return isOpen();
            }
            int length;
            boolean written;
            try (RegisteredBuffer source = acquiring.end().join()) {
                length = length(at, source);
                fill(source.segment().asSlice(0, length), first);
                written = done(link.write(name + "write", source.limit(length), there.slice(WORD + at, length)));
            }
            for (int i = 0; i < length; i++) {
                bytes[at + i] = written ? (short) ((first + i) & 0xff) : UNKNOWN;
            }
            return written || isOpen();
        }

        private static void fill(MemorySegment source, byte first) {
            for (int i = 0; i < source.byteSize(); i++) {
                source.set(ValueLayout.JAVA_BYTE, i, (byte) (first + i));
            }
        }

        private boolean read(int at) {
            Call<RegisteredBuffer> acquiring = link.acquire(name + "acquire");
            if (!done(acquiring)) {
                return isOpen();
            }
            try (RegisteredBuffer target = acquiring.end().join()) {
                int length = length(at, target);
                if (!done(link.read(name + "read", there.slice(WORD + at, length), target.limit(length)))) {
                    return isOpen();
                }
                for (int i = 0; i < length; i++) {
                    byte is = target.segment().get(ValueLayout.JAVA_BYTE, i);
                    verdict.check(
                            bytes[at + i] == UNKNOWN || (byte) bytes[at + i] == is,
                            name + "read " + is + " at " + (at + i) + " in place of " + bytes[at + i]);
                }
            }
            return true;
        }

        private boolean add() {
            additions++;
            Call<Long> adding = link.fetchAndAdd(name + "add", memory.slice(0, COUNTER), 1);
            if (!done(adding)) {
                return isOpen();
            }
            long ticket = adding.end().join();
            verdict.check(tickets.add(ticket), name + "met the value " + ticket + " a second time");
            verdict.check(ticket >= 0 && ticket < additions, name + "more additions than were started");
            return true;
        }

        private boolean swap() {
            long update = choices.below(Long.MAX_VALUE);
            Call<Long> swapping = link.compareAndSwap(name + "swap", there.slice(0, WORD), word, update);
            if (!done(swapping)) {
                wordKnown = false;
                return isOpen();
            }
            long found = swapping.end().join();
            verdict.check(!wordKnown || found == word, name + "found " + found + " in place of " + word);
            word = found == word ? update : found;
            wordKnown = true;
            return true;
        }
    }
}
