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
// - One step at a time: a device reads or writes eight bytes or does an atomic, a process takes the end of an
// operation, or a timer runs. The random generator alone decides which, so a seed determines a run.
// - The requests of a client take effect in their order, as on a reliable connection. The bytes of one are read and
// written in any order.
// - A process that is paused takes nothing, while its device goes on. A process that is killed takes nothing any more;
// its device stops in the middle of a request, and the host learns of it later.

/** Memory of a structure with the devices and processes of its clients, in one thread and with a virtual clock. */
final class ModelStructure {
    private static final long STEP = 1_000;

    private record Timer(long at, long number, Client client, Runnable task) {}

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
        memory = Arena.ofAuto().allocate(header.end(), Long.BYTES);
        header.encode(memory);
        writers = new WriterNumbers(memory);
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

        Client(int writer) {
            this.writer = writer;
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
            if (killed && !gone) {
                gone = true;
                requests.clear();
                writers.giveBack(writer);
            }
        }

        private List<Long> words(long offset, int length) {
            List<Long> words = new ArrayList<>();
            for (long at = offset; at < offset + length; at += Long.BYTES) {
                words.add(at);
            }
            Collections.shuffle(words, random);
            return words;
        }

        @Override
        public void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed) {
            MemorySegment target = Arena.ofAuto().allocate(length);
            List<Long> left = words(offset, length);
            requests.add(() -> {
                long at = left.removeLast();
                MemorySegment.copy(memory, at, target, at - offset, Math.min(Long.BYTES, offset + length - at));
                if (left.isEmpty()) {
                    ends.add(() -> then.accept(target));
                }
                return left.isEmpty();
            });
        }

        @Override
        public void compareAndSwap(
                long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed) {
            requests.add(() -> {
                long old = memory.get(ValueLayout.JAVA_LONG, offset);
                if (old == expected) {
                    memory.set(ValueLayout.JAVA_LONG, offset, update);
                }
                ends.add(() -> then.accept(old));
                return true;
            });
        }

        @Override
        public void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed) {
            requests.add(() -> {
                long old = memory.get(ValueLayout.JAVA_LONG, offset);
                memory.set(ValueLayout.JAVA_LONG, offset, old + addend);
                ends.add(() -> then.accept(old));
                return true;
            });
        }

        @Override
        public void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed) {
            MemorySegment source = MemorySegment.ofArray(bytes);
            List<Long> left = words(offset, bytes.length);
            requests.add(() -> {
                long at = left.removeLast();
                MemorySegment.copy(source, at - offset, memory, at, Math.min(Long.BYTES, offset + bytes.length - at));
                if (left.isEmpty()) {
                    ends.add(then);
                }
                return left.isEmpty();
            });
        }

        @Override
        public void writeThenSwap(
                long offset,
                byte[] bytes,
                long wordOffset,
                long expected,
                long update,
                LongConsumer then,
                Consumer<Throwable> failed) {
            write(offset, bytes, () -> {}, failed);
            compareAndSwap(wordOffset, expected, update, then, failed);
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
