package io.rdma.samples.demo;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.samples.support.Language;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The client of the demo with Reactor. */
final class DemoJava {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int MESSAGES = 100_000;
    private static final int OPERATIONS = 16_000;
    private static final int ATOMICS = 4_000;

    private final RdmaConnection connection;
    private final RemoteMemory remote;
    private final MemoryRegion local;
    private final DemoReport report;

    private DemoJava(RdmaConnection connection, DemoReport report) {
        this.connection = connection;
        this.report = report;
        this.remote = first(connection.receive(message -> RemoteMemory.decode(message.segment())));
        this.local = first(connection
                .allocate((long) DemoProtocol.LANES * DemoProtocol.BLOCK, AccessFlag.LOCAL_WRITE)
                .flux());
    }

    private static <T> T first(Flux<T> flux) {
        return Objects.requireNonNull(flux.next().block(PATIENCE));
    }

    static void run(DemoSetup setup, int port, double scale, DemoReport report) {
        RdmaConnection connection = RdmaClient.create()
                .device(setup.device())
                .host(setup.host())
                .port(port)
                .receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                .sendBuffers(64, DemoProtocol.MAX_MESSAGE)
                .connectNow(PATIENCE);
        try {
            DemoJava demo = new DemoJava(connection, report);
            demo.stream(Demo.scaled(MESSAGES, scale));
            int operations = Demo.scaled(OPERATIONS, scale);
            demo.write(operations);
            demo.read(operations, operations);
            if (setup.atomics()) {
                int tickets = Demo.scaled(ATOMICS, scale);
                demo.fetchAndAdd(tickets);
                demo.compareAndSwap(tickets, tickets);
            }
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }

    private void stream(int count) {
        DemoReport.Run run = report.start("send stream", Language.java, count);
        long[] bytes = {0};
        long[] previous = {System.nanoTime()};
        // Demand comes from the send buffers, so the range runs only as far ahead as the slow receiver allows.
        connection
                .send(Flux.range(0, count), (sequence, target) -> {
                    // A stream has no latency per message. Its row shows the time from one message to the next.
                    run.done(previous[0]);
                    previous[0] = System.nanoTime();
                    int length = DemoProtocol.encodeData(sequence, target);
                    bytes[0] += length;
                    return length;
                })
                .block(PATIENCE);
        long[] answer = ask(1, DemoProtocol::encodeFinish);
        run.end(bytes[0]);
        report.check(
                answer[0] == count && answer[1] == 0,
                "the server got " + answer[0] + " of " + count + " messages, " + answer[1] + " wrong");
    }

    private long[] ask(int length, Consumer<MemorySegment> question) {
        connection.send(length, question).block(PATIENCE);
        return first(connection.receive(message -> DemoProtocol.decodeAnswer(message.segment())));
    }

    /**
     * Runs lanes in parallel, with one operation at a time in each. Each lane has a block of local memory of its own.
     */
    private void lanes(DemoReport.Run run, int from, int to, LaneOperation operation) {
        Flux.range(0, DemoProtocol.LANES)
                .flatMap(
                        lane -> Flux.using(
                                () -> RegisteredBuffer.of(local, (long) lane * DemoProtocol.BLOCK, DemoProtocol.BLOCK),
                                buffer -> Flux.range(from, to - from)
                                        .concatMap(n -> Mono.defer(() -> {
                                            long start = System.nanoTime();
                                            return operation
                                                    .start(lane, n, buffer)
                                                    .doOnSuccess(done -> run.done(start));
                                        })),
                                RegisteredBuffer::close),
                        DemoProtocol.LANES)
                .then()
                .block(PATIENCE);
    }

    /** Starts the n-th operation of a lane. */
    private interface LaneOperation {
        Mono<Void> start(int lane, int n, RegisteredBuffer buffer);
    }

    private RemoteMemory block(int lane, int n) {
        return remote.slice(DemoProtocol.offset(lane, n), DemoProtocol.BLOCK);
    }

    /** Writes in rounds. After each round the server compares every byte of it. */
    private void write(int count) {
        int perLane = count / DemoProtocol.LANES;
        DemoReport.Run run = report.start("write 4 KiB", Language.java, count);
        for (int from = 0; from < perLane; from += DemoProtocol.SLOTS) {
            int to = Math.min(perLane, from + DemoProtocol.SLOTS);
            lanes(run, from, to, (lane, n, buffer) -> {
                DemoProtocol.fill(buffer.segment(), DemoProtocol.seed(lane, n));
                return connection.write(buffer, block(lane, n));
            });
            long checking = System.nanoTime();
            long[] answer = ask(DemoProtocol.CHECK_BYTES, target -> DemoProtocol.encodeCheck(to, target));
            run.exclude(checking);
            report.check(
                    answer[0] == to && answer[1] == 0,
                    answer[1] + " blocks at the server differ from those that Java wrote");
        }
        run.end((long) count * DemoProtocol.BLOCK);
    }

    /** Reads the blocks that were written last. */
    private void read(int written, int count) {
        int perLane = written / DemoProtocol.LANES;
        int last = Math.max(0, perLane - DemoProtocol.SLOTS);
        DemoReport.Run run = report.start("read 4 KiB", Language.java, count);
        lanes(run, 0, count / DemoProtocol.LANES, (lane, i, buffer) -> {
            int n = last + i % (perLane - last);
            buffer.segment().fill((byte) 0);
            return connection
                    .read(block(lane, n), buffer)
                    .then(Mono.fromRunnable(() -> report.check(
                            DemoProtocol.isFilled(buffer.segment(), DemoProtocol.seed(lane, n)),
                            "lane " + lane + " read other bytes than were written")));
        });
        run.end((long) count * DemoProtocol.BLOCK);
    }

    private RemoteMemory counter() {
        return remote.slice(DemoProtocol.COUNTER_OFFSET, Long.BYTES);
    }

    private void fetchAndAdd(int count) {
        DemoReport.Run run = report.start("fetch and add", Language.java, count);
        boolean[] seen = new boolean[count];
        Flux.range(0, count)
                .flatMap(
                        i -> Mono.defer(() -> {
                            long start = System.nanoTime();
                            return connection.fetchAndAdd(counter(), 1).doOnNext(ticket -> {
                                report.check(
                                        ticket >= 0 && ticket < count && !seen[ticket.intValue()], "ticket " + ticket);
                                seen[ticket.intValue()] = true;
                                run.done(start);
                            });
                        }),
                        DemoProtocol.LANES)
                .then()
                .block(PATIENCE);
        run.end((long) count * Long.BYTES);
    }

    private void compareAndSwap(int from, int count) {
        DemoReport.Run run = report.start("compare and swap", Language.java, count);
        Flux.range(from, count)
                .concatMap(i -> Mono.defer(() -> {
                    long start = System.nanoTime();
                    return connection.compareAndSwap(counter(), i, i + 1).doOnNext(old -> {
                        report.check(old == i.longValue(), "expected " + i + " but the counter was " + old);
                        run.done(start);
                    });
                }))
                .then()
                .block(PATIENCE);
        run.end((long) count * Long.BYTES);
    }
}
