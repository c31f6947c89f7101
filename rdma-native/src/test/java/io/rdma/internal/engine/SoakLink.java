package io.rdma.internal.engine;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.testing.ConnectOutcome;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

// Layout of the server's region: a counter for atomics, then a lane for each thread, which the thread writes and reads
// back.
// Layout of a message: sending thread, number among the messages of that thread on this side, length, then bytes that
// follow from these.

/** One connection of a soak test, with both of its ends and the results that are expected of it. */
final class SoakLink {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int LARGEST = 2048;
    static final int RECEIVE_BUFFER = LARGEST / 2; // the other end reads longer messages from the sender's memory
    private static final int HEADER = 3 * Integer.BYTES;
    private static final int LANE = LARGEST;

    /** One end: the messages that its threads sent, and the messages of the other end that it received. */
    private static final class End {
        final Endpoint endpoint;
        final int[] sent; // by thread; each thread writes its own
        final Set<Long> delivered = ConcurrentHashMap.newKeySet(); // messages whose send succeeded
        final Set<Long> fetched = ConcurrentHashMap.newKeySet(); // messages that the other end has to read itself
        final Set<Long> got = ConcurrentHashMap.newKeySet(); // messages of the other end
        final int[] last; // by thread of the other end; written by the thread that holds `polling`
        final AtomicInteger polling = new AtomicInteger();
        final List<ReceivedMessage> held = Collections.synchronizedList(new ArrayList<>());

        End(Endpoint endpoint, int threads) {
            this.endpoint = endpoint;
            sent = new int[threads];
            last = new int[threads];
        }
    }

    /** Operation with an action for its success. It counts its ends. */
    private final class Tracked extends Operation {
        final CompletableFuture<Long> end = new CompletableFuture<>();
        private final AtomicInteger ends = new AtomicInteger();
        private final Runnable onSuccess;

        Tracked(WorkRequest request, Runnable onSuccess) {
            super(request);
            this.onSuccess = onSuccess;
        }

        private void ended() {
            tally.check(ends.incrementAndGet() == 1, "an operation ended twice");
        }

        @Override
        protected void completed(long value) {
            ended();
            onSuccess.run();
            tally.succeeded.increment();
            end.complete(value);
        }

        @Override
        protected void failed(RuntimeException error) {
            ended();
            if (!closing.get()) {
                tally.wrong("an operation failed on an open connection", error);
            }
            tally.failed.increment();
            end.completeExceptionally(error);
        }

        void cancel() {
            if (abandon()) {
                ended();
                tally.cancelled.increment();
                end.cancel(false);
            }
        }
    }

    private final SoakTally tally;
    private final End client;
    private final End server;
    private final MemoryRegion memory;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Set<Long> tickets = ConcurrentHashMap.newKeySet();
    private final AtomicLong additions = new AtomicLong();

    private SoakLink(Endpoint client, Endpoint server, int threads, SoakTally tally) {
        this.tally = tally;
        this.client = new End(client, threads);
        this.server = new End(server, threads);
        memory = server.memory()
                .allocate(
                        Long.BYTES + (long) threads * LANE,
                        Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
        for (End end : List.of(this.client, this.server)) {
            end.endpoint.receives().listener(() -> receive(end));
        }
        tally.connections.increment();
    }

    static SoakLink open(
            DeviceResources clients, DeviceResources servers, ConnectionOptions options, int threads, SoakTally tally) {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (RdmaListener listener = RdmaListener.bind(
                servers, options, AdmissionLimits.DEFAULT, new InetSocketAddress("127.0.0.1", 0), accepted::complete)) {
            ConnectOutcome connected = ConnectOutcome.of(clients, options, listener.address());
            Endpoint client = connected
                    .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .join()
                    .endpoint();
            Endpoint server = accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .join()
                    .endpoint();
            return new SoakLink(client, server, threads, tally);
        }
    }

    /** Runs one or two operations. Only one thread at a time may use a lane. */
    void step(int lane, SplittableRandom random) throws InterruptedException {
        switch (random.nextInt(8)) {
            case 0 -> writeAndRead(lane, random);
            case 1 -> add(random);
            case 2 -> closeHeld(random);
            default -> send(random.nextBoolean() ? client : server, lane, random);
        }
    }

    private void send(End from, int lane, SplittableRandom random) throws InterruptedException {
        RegisteredBuffer buffer = acquire(from);
        if (buffer == null) {
            return;
        }
        int number = ++from.sent[lane];
        int length = HEADER + random.nextInt(LARGEST - HEADER + 1);
        MemorySegment bytes = buffer.segment().asSlice(0, length);
        bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 0, lane);
        bytes.set(ValueLayout.JAVA_INT_UNALIGNED, Integer.BYTES, number);
        bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 2 * Integer.BYTES, length);
        fill(bytes.asSlice(HEADER), id(lane, number));
        if (length > RECEIVE_BUFFER) {
            from.fetched.add(id(lane, number));
        }
        Tracked sending =
                new Tracked(WorkRequest.send(buffer.limit(length), false), () -> from.delivered.add(id(lane, number)));
        submit(from, sending);
        buffer.close(); // the operation holds it until the device is done
        tally.released.increment();
        maybeCancel(sending, random);
    }

    private static long id(int lane, int number) {
        return (long) lane << 32 | number;
    }

    private static void fill(MemorySegment bytes, long seed) {
        for (long i = 0; i < bytes.byteSize(); i++) {
            bytes.set(ValueLayout.JAVA_BYTE, i, expected(seed, i));
        }
    }

    private static byte expected(long seed, long index) {
        return (byte) (seed * 31 + (seed >>> 32) * 17 + index * 7 + (index >>> 8));
    }

    /** Writes the thread's lane of the server's memory, and reads it back. */
    private void writeAndRead(int lane, SplittableRandom random) throws InterruptedException {
        RegisteredBuffer source = acquire(client);
        if (source == null) {
            return;
        }
        long seed = random.nextLong();
        int length = 1 + random.nextInt(LANE);
        RemoteMemory there = memory.remote().slice(Long.BYTES + (long) lane * LANE, length);
        fill(source.segment().asSlice(0, length), seed);
        Tracked writing = new Tracked(WorkRequest.write(source.limit(length), there), () -> {});
        submit(client, writing);
        source.close();
        tally.released.increment();
        if (maybeCancel(writing, random) || await(writing) == null) {
            return;
        }
        RegisteredBuffer target = acquire(client);
        if (target == null) {
            return;
        }
        Tracked reading = new Tracked(WorkRequest.read(there, target.limit(length)), () -> {});
        submit(client, reading);
        if (!maybeCancel(reading, random) && await(reading) != null) {
            check(target.segment().asSlice(0, length), seed, "memory that was written and read back");
        }
        target.close();
        tally.released.increment();
    }

    private void add(SplittableRandom random) {
        additions.incrementAndGet();
        CompletableFuture<Long> ticket = new CompletableFuture<>();
        Tracked adding = new Tracked(WorkRequest.fetchAndAdd(memory.remote().slice(0, Long.BYTES), 1), () -> {});
        adding.end.thenAccept(value -> tally.check(tickets.add(value), "two additions met the same value"));
        submit(client, adding);
        maybeCancel(adding, random);
    }

    private void submit(End to, Tracked operation) {
        tally.submitted.increment();
        try {
            to.endpoint.submit(operation);
        } catch (RuntimeException refused) { // a large message cannot be registered any more
            operation.failed(refused);
        }
    }

    private static boolean maybeCancel(Tracked operation, SplittableRandom random) {
        if (random.nextInt(10) != 0) {
            return false;
        }
        if (random.nextBoolean()) {
            Thread.yield();
        }
        operation.cancel();
        return true;
    }

    /** Waits for the end of an operation. Returns null if it ended with its connection. */
    private Long await(Tracked operation) throws InterruptedException {
        try {
            return operation.end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            tally.wrong(operation.request().opcode() + " has not ended after " + PATIENCE, e);
            return null;
        } catch (ExecutionException e) {
            return null;
        }
    }

    private RegisteredBuffer acquire(End of) throws InterruptedException {
        CompletableFuture<RegisteredBuffer> buffer = new CompletableFuture<>();
        of.endpoint.sendBuffers().acquire(new BufferWaiter() {
            @Override
            public void acquired(RegisteredBuffer acquired) {
                tally.acquired.increment();
                buffer.complete(acquired);
            }

            @Override
            public void failed(RuntimeException error) {
                if (!closing.get()) {
                    tally.wrong("the pool of an open connection refused", error);
                }
                buffer.complete(null);
            }
        });
        try {
            return buffer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            tally.wrong("no buffer after " + PATIENCE, e);
            return null;
        }
    }

    /** Receives all messages. Any thread may notify, and one thread at a time polls. */
    private void receive(End end) {
        if (end.polling.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            ReceivedMessage message;
            while ((message = end.endpoint.receives().poll()) != null) {
                take(end, message);
            }
            missed = end.polling.addAndGet(-missed);
        } while (missed != 0);
    }

    private void take(End end, ReceivedMessage message) {
        tally.received.increment();
        MemorySegment bytes = message.segment();
        int lane = bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        int number = bytes.get(ValueLayout.JAVA_INT_UNALIGNED, Integer.BYTES);
        tally.check(bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 2 * Integer.BYTES) == message.length(), "length");
        check(bytes.asSlice(HEADER), id(lane, number), "a message");
        tally.check(number > end.last[lane], "messages of one thread out of order, or twice");
        end.last[lane] = number;
        end.got.add(id(lane, number));
        if (number % 4 == 0) {
            end.held.add(message); // another thread closes it later, out of order; holding all would stop the peer
            if (end.held.size() > 2) {
                giveBack(end.held.removeFirst());
            }
        } else {
            giveBack(message);
        }
    }

    private void check(MemorySegment bytes, long seed, String what) {
        for (long i = 0; i < bytes.byteSize(); i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != expected(seed, i)) {
                tally.wrong("byte " + i + " of " + bytes.byteSize() + " of " + what, null);
                return;
            }
        }
        tally.bytes.add(bytes.byteSize());
    }

    private void closeHeld(SplittableRandom random) {
        End end = random.nextBoolean() ? client : server;
        synchronized (end.held) {
            if (!end.held.isEmpty()) {
                giveBack(end.held.remove(random.nextInt(end.held.size())));
            }
        }
    }

    private void giveBack(ReceivedMessage message) {
        message.close();
        tally.given.increment();
    }

    /** Closes the connection. Returns false if another thread has closed it. */
    boolean close(boolean byClient) {
        if (!closing.compareAndSet(false, true)) {
            return false;
        }
        (byClient ? client : server).endpoint.close();
        return true;
    }

    /**
     * Checks that the messages that were delivered came out. The exception is the end of a connection that the close
     * cut while the other end still had to read a large message: nothing comes out behind that one.
     */
    private void checkArrivals(End from, End to) {
        List<Long> missing =
                from.delivered.stream().filter(id -> !to.got.contains(id)).toList();
        tally.check(
                missing.isEmpty() || !to.got.containsAll(from.fetched),
                "a message that was delivered did not come out, and no large one was lost before it");
        tally.check(
                missing.stream().allMatch(id -> (int) (long) id > to.last[(int) (id >>> 32)]),
                "a message came out behind one that was delivered and did not");
    }

    /** Checks after the close that both ends have ended by themselves and nothing of them is left. */
    void verify() {
        for (End end : List.of(client, server)) {
            end.endpoint
                    .closed()
                    .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .join();
            receive(end);
        }
        for (End end : List.of(client, server)) {
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                synchronized (end.held) {
                    end.held.forEach(this::giveBack);
                    end.held.clear();
                }
                if (end.endpoint.inFlight() != 0
                        || end.endpoint.sendBuffers().leased() != 0
                        || end.endpoint.receives().outstanding() != 0) {
                    throw new AssertionError("in flight " + end.endpoint.inFlight() + ", leased "
                            + end.endpoint.sendBuffers().leased() + ", outstanding "
                            + end.endpoint.receives().outstanding());
                }
            });
            End other = end == client ? server : client;
            checkArrivals(end, other);
        }
        // The server's memory was closed with its endpoint. The tickets tell how far its counter came.
        tally.check(
                tickets.stream().allMatch(ticket -> ticket >= 0 && ticket < additions.get()),
                "more additions than were submitted");
    }
}
