package io.rdma.internal.structures;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

// Invariants
// - One step at a time: a device reads or writes bytes or does an atomic, a process takes the end of an operation, or a
// timer runs. The random generator alone decides which, so a seed determines a run.
// - The requests of a client take effect in their order, as on a reliable connection. The bytes of one are read and
// written in any order, eight aligned bytes or less at a time: atomics alone are atomic, and towards each other only.
// - A process that is paused takes nothing, while its device goes on. A process that is killed takes nothing any more;
// its device stops in the middle of a request, and the host learns of it later.

/** Memory of a structure with the devices and processes of its clients, in one thread and with a virtual clock. */
final class ModelStructure implements AutoCloseable {
    private static final long STEP = 1_000;
    private static final int ALL = (1 << Long.BYTES) - 1;

    private record Timer(long at, long number, Client client, Runnable task) {}

    private final Arena arena = Arena.ofConfined();
    final MemorySegment memory;
    final WriterNumbers writers;
    private final Random random;
    private final List<Client> clients = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private long now;
    private long timersMade;

    ModelStructure(StructureHeader header, Random random) {
        this.random = random;
        memory = arena.allocate(header.end(), Long.BYTES);
        header.encode(memory);
        writers = new WriterNumbers(memory);
    }

    @Override
    public void close() {
        arena.close();
    }

    /** Bytes of eight aligned ones, a bit for each, that a device moves at one moment. */
    private record Part(long at, int bytes) {
        void move(MemorySegment source, long sourceStart, MemorySegment target, long targetStart, long end) {
            for (int i = 0; i < Long.BYTES; i++) {
                long place = at + i;
                if ((bytes >>> i & 1) != 0 && place < end) {
                    target.set(
                            ValueLayout.JAVA_BYTE,
                            place - targetStart,
                            source.get(ValueLayout.JAVA_BYTE, place - sourceStart));
                }
            }
        }
    }

    /** Returns the parts in which a device moves bytes, in a random order. Now and then it splits eight of them. */
    private List<Part> parts(long offset, int length) {
        List<Part> parts = new ArrayList<>();
        for (long at = offset; at < offset + length; at += Long.BYTES) {
            int some = random.nextInt(4) == 0 ? random.nextInt(ALL) : 0;
            parts.add(new Part(at, ALL & ~some));
            if (some != 0) {
                parts.add(new Part(at, some));
            }
        }
        Collections.shuffle(parts, random);
        return parts;
    }

    /** Steps of one request at the device. */
    private interface Request {
        /** Takes one step; returns whether it was the last one. */
        boolean step();
    }

    /** Adds a client. */
    Client client() {
        Client client = new Client(writers.take());
        clients.add(client);
        return client;
    }

    List<Client> clients() {
        return clients;
    }

    long now() {
        return now;
    }

    /** Takes one step of the run; returns false if nothing can happen any more. */
    boolean step() {
        now += STEP;
        List<Runnable> possible = new ArrayList<>();
        for (Client client : clients) {
            if (client.mayTransfer()) {
                possible.add(client::transfer);
            }
            if (client.mayTake()) {
                possible.add(() -> client.ends.remove().run());
            }
        }
        timers.removeIf(timer -> timer.client().killed);
        Timer first = timers.peek();
        if (first != null && !first.client().paused && (first.at() <= now || possible.isEmpty())) {
            possible.add(() -> {
                Timer due = timers.remove();
                now = Math.max(now, due.at());
                due.task().run();
            });
        } else if (first != null && first.client().paused && first.at() <= now) { // behind the timers of others
            timers.add(new Timer(
                    now + 100 * STEP,
                    timersMade++,
                    first.client(),
                    timers.remove().task()));
            return true;
        } else if (first != null && possible.isEmpty()) {
            now = first.at();
            return true;
        }
        if (possible.isEmpty()) {
            return false;
        }
        possible.get(random.nextInt(possible.size())).run();
        return true;
    }

    /** One client: its process, its device, its connection. */
    final class Client implements StructureAccess {
        final int writer;
        private final ArrayDeque<Request> requests = new ArrayDeque<>();
        private final Queue<Runnable> ends = new ArrayDeque<>();
        private boolean paused;
        private boolean stalled;
        private boolean killed;
        private boolean gone;
        private int refuseFrom = Integer.MAX_VALUE;
        private int refuseTo = Integer.MAX_VALUE;

        Client(int writer) {
            this.writer = writer;
        }

        /** Refuses operations of the process from now on, the first of which has number 0, before they are posted. */
        void refuse(int from, int to) {
            refuseFrom = from;
            refuseTo = to;
        }

        /** Returns whether the operations to be refused were asked for. */
        boolean hasRefused() {
            return refuseFrom < 0;
        }

        private void submit(Request request) {
            if (gone || refuseFrom-- <= 0 & refuseTo-- > 0) {
                throw new IllegalStateException("refused by a test");
            }
            requests.add(request);
        }

        private void submit(Request request, Consumer<Throwable> failed) {
            try {
                submit(request);
            } catch (IllegalStateException e) {
                failed.accept(e);
            }
        }

        boolean isGone() {
            return gone;
        }

        private boolean mayTransfer() {
            return !gone && !stalled && !requests.isEmpty();
        }

        private boolean mayTake() {
            return !killed && !paused && !ends.isEmpty();
        }

        private void transfer() {
            if (requests.element().step()) {
                requests.remove();
            }
        }

        boolean isKilled() {
            return killed;
        }

        void pause(boolean value) {
            paused = value;
        }

        /** Keeps the device from going on, as lost packets do. */
        void stall(boolean value) {
            stalled = value;
        }

        /** Ends the process. Its requests may still arrive. */
        void kill() {
            killed = true;
        }

        /** The host notices that the process was killed: nothing arrives from now on. */
        void disconnect() {
            if (killed) {
                end(new IllegalStateException("killed"));
            }
        }

        @Override
        public void end(Throwable cause) {
            if (!gone) {
                gone = true;
                requests.clear();
                writers.giveBack(writer);
            }
        }

        @Override
        public void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed) {
            MemorySegment target = MemorySegment.ofArray(new byte[length]);
            List<Part> left = parts(offset, length);
            Request request = () -> {
                left.removeLast().move(memory, 0, target, offset, offset + length);
                if (left.isEmpty()) {
                    ends.add(() -> then.accept(target));
                }
                return left.isEmpty();
            };
            submit(request, failed);
        }

        @Override
        public void compareAndSwap(
                long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed) {
            Request request = () -> {
                long old = memory.get(ValueLayout.JAVA_LONG, offset);
                if (old == expected) {
                    memory.set(ValueLayout.JAVA_LONG, offset, update);
                }
                ends.add(() -> then.accept(old));
                return true;
            };
            submit(request, failed);
        }

        @Override
        public void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed) {
            Request request = () -> {
                long old = memory.get(ValueLayout.JAVA_LONG, offset);
                memory.set(ValueLayout.JAVA_LONG, offset, old + addend);
                ends.add(() -> then.accept(old));
                return true;
            };
            submit(request, failed);
        }

        @Override
        public void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed) {
            MemorySegment source = MemorySegment.ofArray(bytes);
            List<Part> left = parts(offset, bytes.length);
            submit(
                    () -> { // throws, as prepare() asks for
                        left.removeLast().move(source, offset, memory, 0, offset + bytes.length);
                        if (left.isEmpty()) {
                            ends.add(then);
                        }
                        return left.isEmpty();
                    });
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void after(long nanos, Runnable task) {
            timers.add(new Timer(now + nanos, timersMade++, this, task));
        }

        @Override
        public long random(long bound) {
            return random.nextLong(bound);
        }
    }
}
