package io.rdma.samples;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The client of the demo with Reactor. */
final class DemoJava {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
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
                .allocate(DemoProtocol.REGION_BYTES, AccessFlag.LOCAL_WRITE)
                .flux());
    }

    private static <T> T first(Flux<T> flux) {
        return Objects.requireNonNull(flux.next().block(PATIENCE));
    }

    static void run(String device, int port, double scale, DemoReport report) {
        RdmaConnection connection = RdmaClient.create()
                .device(device)
                .host("127.0.0.1")
                .port(port)
                .receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                .sendBuffers(64, DemoProtocol.MAX_MESSAGE)
                .connectNow(PATIENCE);
        try {
            DemoJava demo = new DemoJava(connection, report);
            demo.stream(Demo.scaled(MESSAGES, scale));
            demo.write(Demo.scaled(OPERATIONS, scale));
            demo.read(Demo.scaled(OPERATIONS, scale));
            int tickets = Demo.scaled(ATOMICS, scale);
            demo.fetchAndAdd(tickets);
            demo.compareAndSwap(tickets, Demo.scaled(ATOMICS, scale));
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }

    private void stream(int count) {
        DemoReport.Run run = report.start("send stream", Language.java, count);
        long[] bytes = {0};
        long[] previous = {System.nanoTime()};
        // Demand comes from the send buffers: the range is only as far ahead as the slow receiver allows.
        connection
                .send(Flux.range(0, count), (sequence, target) -> {
                    // A stream has no latency per message; its row shows the pace, the time from one message to the
                    // next.
                    run.done(previous[0]);
                    previous[0] = System.nanoTime();
                    int length = DemoProtocol.encodeData(sequence, target);
                    bytes[0] += length;
                    return length;
                })
                .block(PATIENCE);
        long[] answer = ask(DemoProtocol::encodeFinish);
        run.end(bytes[0]);
        report.check(
                answer[0] == count && answer[1] == 0,
                "the server got " + answer[0] + " of " + count + " messages, " + answer[1] + " wrong");
    }

    private long[] ask(java.util.function.Consumer<MemorySegment> question) {
        connection.send(1, question).block(PATIENCE);
        return first(connection.receive(message -> DemoProtocol.decodeAnswer(message.segment())));
    }

    /** Runs lanes side by side, one operation at a time in each, with a block of local and remote memory of its own. */
    private void lanes(String name, int count, BiFunction<Integer, RegisteredBuffer, Mono<Void>> operation) {
        DemoReport.Run run = report.start(name, Language.java, count);
        int perLane = count / DemoProtocol.LANES;
        Flux.range(0, DemoProtocol.LANES)
                .flatMap(
                        lane -> Flux.using(
                                () -> RegisteredBuffer.of(local, (long) lane * DemoProtocol.BLOCK, DemoProtocol.BLOCK),
                                buffer -> Flux.range(0, perLane)
                                        .concatMap(i -> Mono.defer(() -> {
                                            long start = System.nanoTime();
                                            return operation.apply(lane, buffer).doOnSuccess(done -> run.done(start));
                                        })),
                                RegisteredBuffer::close),
                        DemoProtocol.LANES)
                .then()
                .block(PATIENCE);
        run.end((long) count * DemoProtocol.BLOCK);
    }

    private RemoteMemory block(int lane) {
        return remote.slice((long) lane * DemoProtocol.BLOCK, DemoProtocol.BLOCK);
    }

    private void write(int count) {
        long[] sequence = new long[DemoProtocol.LANES];
        lanes("write 4 KiB", count, (lane, buffer) -> {
            DemoProtocol.fill(buffer.segment(), lane + 1000 * ++sequence[lane]);
            return connection.write(buffer, block(lane));
        });
        int here = DemoProtocol.crc(local.segment());
        report.check(ask(DemoProtocol::encodeCheck)[0] == here, "the server's memory differs from what Java wrote");
    }

    private void read(int count) {
        MemorySegment expected = java.lang.foreign.Arena.ofAuto().allocate(DemoProtocol.COUNTER_OFFSET);
        expected.copyFrom(local.segment().asSlice(0, DemoProtocol.COUNTER_OFFSET));
        lanes("read 4 KiB", count, (lane, buffer) -> {
            buffer.segment().fill((byte) 0);
            MemorySegment block = expected.asSlice((long) lane * DemoProtocol.BLOCK, DemoProtocol.BLOCK);
            return connection
                    .read(block(lane), buffer)
                    .then(Mono.fromRunnable(() -> report.check(
                            buffer.segment().mismatch(block) < 0,
                            "lane " + lane + " read other bytes than were written")));
        });
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
