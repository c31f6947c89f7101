package io.rdma.samples.pingpong;

import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.LocalGid;
import io.rdma.types.AccessFlag;
import io.rdma.types.GidTableEntry;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ServerSocket;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One run of {@link PingPong} with its verbs objects, over one of the transports. */
final class PingPongRun {
    private static final int EVENT_MILLIS = 10_000;
    private static final int PAGE = 4096;
    private static final byte FILL = 0x7b;
    private static final long SEND = 2;
    private static final long RECEIVE = 1;

    private final DeviceOption device;
    private final PingPongOptions options;
    private final PingPongTransport transport;
    private int sent;
    private int received;
    private int posted;

    PingPongRun(DeviceOption device, PingPongOptions options, PingPongTransport transport) {
        this.device = device;
        this.options = options;
        this.transport = transport;
        options.check(transport);
    }

    int serve() throws IOException {
        try (ServerSocket listener = PingPongHandshake.listen(options.port)) {
            return run(listener, null);
        }
    }

    int connect(String host) throws IOException {
        return run(null, host);
    }

    private int run(@Nullable ServerSocket listener, @Nullable String host) throws IOException {
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionChannel channel = context.createCompletionChannel();
                CompletionQueue queue = context.createCompletionQueue(options.rxDepth + options.queuePairs, channel);
                MemoryRegion memory = domain.allocate(
                        (long) transport.headroom() + options.size, EnumSet.of(AccessFlag.LOCAL_WRITE));
                PingPongEnds ends = new PingPongEnds(transport, options, domain, queue)) {
            MemorySegment message = memory.segment().asSlice(transport.headroom());
            GidTableEntry gid = gid(context);
            prepare(message, listener == null);
            ends.init(context.queryPort(options.ibPort), gid);
            receive(ends, memory, options.rxDepth);
            if (options.events) {
                queue.requestNotify();
            }
            if (listener != null) {
                PingPongHandshake.answer(listener, ends.addresses(), peer -> ends.up(gid, peer));
            } else {
                ends.up(gid, PingPongHandshake.ask(Objects.requireNonNull(host), options.port, ends.addresses()));
            }
            long start = System.nanoTime();
            if (listener == null) {
                for (PingPongEnd end : ends.all()) {
                    send(end, memory);
                }
            }
            exchange(ends, queue, channel, memory);
            report(System.nanoTime() - start);
            return check(message, listener != null);
        }
    }

    private GidTableEntry gid(DeviceContext context) {
        if (options.gidIndex < 0) {
            return LocalGid.of(context, options.ibPort);
        }
        return context.queryGidTable().stream()
                .filter(entry -> entry.port() == options.ibPort && entry.index() == options.gidIndex)
                .findFirst()
                .orElseThrow(() -> new RdmaException("port " + options.ibPort + " of " + context.name() + " has no GID "
                        + options.gidIndex + ": see devinfo, and choose another --gid-idx"));
    }

    private void prepare(MemorySegment message, boolean client) {
        message.fill(FILL);
        for (long page = 0; options.check && client && page < options.size; page += PAGE) {
            message.set(ValueLayout.JAVA_BYTE, page, (byte) 0);
        }
    }

    private void receive(PingPongEnds ends, MemoryRegion memory, int count) {
        ReceiveChain chain = new ReceiveChain(count, 1);
        chain.clear();
        for (int i = 0; i < count; i++) {
            chain.add(RECEIVE).entry(memory.segment().address(), transport.headroom() + options.size, memory.lkey());
        }
        posted(ends.post(chain), "ibv_post_recv");
        posted += count;
    }

    private void send(PingPongEnd end, MemoryRegion memory) {
        SendChain chain = new SendChain(1, 1);
        chain.clear();
        chain.add(SEND, WorkRequestOpcode.SEND)
                .entry(memory.segment().address() + transport.headroom(), options.size, memory.lkey())
                .signaled();
        posted(end.post(chain), "ibv_post_send");
    }

    private static void posted(int result, String call) {
        if (result != 0) {
            throw new VerbsException(call, -result, null);
        }
    }

    /**
     * Sends the next message of a queue pair when its previous send has completed and a message has arrived there. Ends
     * after the requested number of each, over all queue pairs.
     */
    private void exchange(PingPongEnds ends, CompletionQueue queue, CompletionChannel channel, MemoryRegion memory) {
        CompletionBatch batch = new CompletionBatch(2 * options.queuePairs);
        while (sent < options.iters || received < options.iters) {
            int polled = poll(queue, channel, batch);
            for (int i = 0; i < polled; i++) {
                if (batch.status(i) != 0) {
                    throw new WorkCompletionException(
                            WorkCompletionStatus.of(batch.status(i)),
                            batch.wrId(i) == SEND ? WorkRequestOpcode.SEND : null,
                            batch.qpNumber(i),
                            batch.vendorError(i));
                }
                PingPongEnd end = ends.of(batch.qpNumber(i));
                if (batch.wrId(i) == SEND) {
                    sent++;
                    end.sendCompleted();
                } else {
                    received++;
                    end.messageArrived();
                    if (--posted <= options.queuePairs) {
                        receive(ends, memory, options.rxDepth - posted);
                    }
                }
                if (sent < options.iters && end.takeTurn()) {
                    send(end, memory);
                }
            }
        }
    }

    private int poll(CompletionQueue queue, CompletionChannel channel, CompletionBatch batch) {
        int polled = queue.poll(batch);
        if (polled == 0 && options.events && channel.await(EVENT_MILLIS)) {
            channel.takeEvent();
            queue.acknowledge(1);
            queue.requestNotify();
        }
        if (polled < 0) {
            throw new RdmaException("the completion queue has overrun");
        }
        if (polled == 0) {
            Thread.yield(); // the peer may need this processor
        }
        return polled;
    }

    private void report(long nanos) {
        long bytes = 2L * options.size * options.iters;
        double seconds = nanos / 1e9;
        System.out.printf("%d bytes in %.2f seconds = %.2f Mbit/sec%n", bytes, seconds, bytes * 8 / seconds / 1e6);
        System.out.printf(
                "%d iters in %.2f seconds = %.2f usec/iter%n", options.iters, seconds, nanos / 1e3 / options.iters);
    }

    private int check(MemorySegment message, boolean server) {
        int wrong = 0;
        for (long page = 0; options.check && server && page < options.size; page += PAGE) {
            if (message.get(ValueLayout.JAVA_BYTE, page) != 0) {
                System.out.println("invalid data in page " + page / PAGE);
                wrong++;
            }
        }
        return wrong == 0 ? 0 : 1;
    }
}
