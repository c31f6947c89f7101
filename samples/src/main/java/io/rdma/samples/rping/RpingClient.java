package io.rdma.samples.rping;

import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The client of {@link Rping}. */
final class RpingClient {
    private static final Duration RESOLVE = Duration.ofSeconds(2);
    private static final int ANSWER_MILLIS = 60_000;
    private static final int FIRST = 'A';
    private static final int LAST = 'z';

    private final RpingOptions options;

    RpingClient(RpingOptions options) {
        this.options = options;
    }

    int run() {
        try (CmEventChannel channel = options.device().createEventChannel();
                CmIdentifier server = channel.createIdentifier(PortSpace.TCP)) {
            server.resolveAddress(options.sourceAddress(), options.serverAddress(), RESOLVE);
            expect(channel, CmEventType.ADDR_RESOLVED);
            server.resolveRoute(RESOLVE);
            expect(channel, CmEventType.ROUTE_RESOLVED);
            try (RpingConnection connection = new RpingConnection(server)) {
                server.connect(ConnectionParameters.DEFAULT.withReadsAndAtomics(1, 1));
                expect(channel, CmEventType.ESTABLISHED);
                Thread watch =
                        Thread.ofPlatform().daemon().name("rping-events").start(() -> watch(channel, connection));
                int result = ping(connection);
                server.disconnect();
                connection.end();
                channel.wake();
                join(watch);
                return result;
            }
        }
    }

    private static void join(Thread watch) {
        try {
            watch.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void expect(CmEventChannel channel, CmEventType wanted) {
        channel.await(ANSWER_MILLIS);
        CmEvent event = channel.take();
        options.debug("cma_event type %s", event);
        if (event == null || event.type() != wanted) {
            throw new RdmaException("expected " + wanted + ", but received " + (event == null ? "nothing" : event)
                    + ". Is the server running?");
        }
    }

    /** Takes events until the connection ends, on either side. */
    private void watch(CmEventChannel channel, RpingConnection connection) {
        while (channel.await(-1)) {
            CmEvent event = channel.take();
            if (event != null && event.type() == CmEventType.DISCONNECTED) {
                System.err.println("client DISCONNECT EVENT...");
                connection.end();
                return;
            }
        }
    }

    private int ping(RpingConnection connection) {
        MemoryRegion start = connection.buffer(options.size);
        MemoryRegion sink = connection.buffer(options.size);
        for (int ping = 0; options.count == 0 || ping < options.count; ping++) {
            fill(start.segment(), ping);
            connection.tell(start, options.size);
            if (connection.told() == null) {
                return ended(ping);
            }
            connection.tell(sink, options.size);
            if (connection.told() == null) {
                return ended(ping);
            }
            if (options.validate && start.segment().mismatch(sink.segment()) != -1) {
                System.err.println("data mismatch!");
                return 1;
            }
            if (options.verbose) {
                System.out.println("ping data: " + text(sink.segment()));
            }
        }
        return 0;
    }

    private int ended(int pings) {
        System.err.println("the server ended the connection after " + pings + " pings");
        return options.count == 0 ? 0 : 1;
    }

    /** Fills a message with the number of the ping and then letters, which start one letter later for each ping. */
    private void fill(MemorySegment start, int ping) {
        byte[] text = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(text, 0, start, ValueLayout.JAVA_BYTE, 0, text.length);
        int letters = LAST - FIRST + 1;
        for (int i = text.length; i < options.size; i++) {
            start.set(ValueLayout.JAVA_BYTE, i, (byte) (FIRST + (ping + i - text.length) % letters));
        }
        start.set(ValueLayout.JAVA_BYTE, options.size - 1L, (byte) 0);
    }

    private String text(MemorySegment sink) {
        return new String(sink.asSlice(0, options.size - 1L).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }
}
