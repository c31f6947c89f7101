package io.rdma.samples.rping;

import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** The server of {@link Rping}: one thread takes the events, and one thread for each client serves it. */
final class RpingServer {
    private static final int WAIT_MILLIS = 200;

    private final RpingOptions options;
    private final boolean persistent;
    private final AtomicInteger failed = new AtomicInteger();
    private volatile boolean done;

    RpingServer(RpingOptions options, boolean persistent) {
        this.options = options;
        this.persistent = persistent;
    }

    int run() throws InterruptedException {
        Thread serving = null;
        try (CmEventChannel channel = options.device().createEventChannel();
                CmIdentifier listener = channel.createIdentifier(PortSpace.TCP)) {
            listener.bind(options.listenAddress());
            listener.listen(3);
            options.debug("listening on %s", listener.localAddress());
            while (!done) {
                channel.await(WAIT_MILLIS);
                CmEvent event;
                while ((event = channel.take()) != null) {
                    options.debug("cma_event type %s", event);
                    Object about = event.identifier().attachment();
                    switch (event.type()) {
                        case CONNECT_REQUEST -> {
                            if (serving == null || persistent) {
                                serving = start(event.identifier(), event.parameters());
                            } else {
                                event.identifier().reject(new byte[0]);
                                event.identifier().close();
                            }
                        }
                        case DISCONNECTED, DEVICE_REMOVAL, CONNECT_ERROR, REJECTED -> {
                            System.err.println("server " + event + " EVENT...");
                            if (about instanceof RpingConnection connection) {
                                connection.end();
                            }
                        }
                        default -> {}
                    }
                }
            }
            if (serving != null) {
                serving.join();
            }
        }
        return failed.get() == 0 ? 0 : 1;
    }

    /** Accepts on the calling thread, so that the connection is attached before its next event is taken. */
    private Thread start(CmIdentifier client, ConnectionParameters asked) {
        RpingConnection connection = new RpingConnection(client);
        client.attach(connection);
        client.accept(ConnectionParameters.DEFAULT.withRetries(asked.retryCount(), 7));
        return Thread.ofPlatform().name("rping").start(() -> {
            try (client;
                    connection) {
                serve(connection);
                client.disconnect();
            } catch (RdmaException e) {
                System.err.println("error: " + e.getMessage());
                failed.incrementAndGet();
            } finally {
                done = !persistent;
            }
        });
    }

    private void serve(RpingConnection connection) {
        MemoryRegion buffer = connection.buffer(options.size);
        while (true) {
            RemoteMemory source = connection.told();
            if (source == null
                    || !connection.transfer(WorkRequestOpcode.RDMA_READ, source, buffer, checked(source.length()))) {
                return;
            }
            int text = textLength(buffer);
            if (options.verbose) {
                System.out.println("server ping data: "
                        + new String(
                                buffer.segment().asSlice(0, text).toArray(ValueLayout.JAVA_BYTE),
                                StandardCharsets.US_ASCII));
            }
            connection.tell(null, 0);
            RemoteMemory sink = connection.told();
            if (sink == null) {
                return;
            }
            // Includes the terminating zero, as C does.
            int bytes = Math.min(Math.min(text + 1, options.size), checked(sink.length()));
            if (!connection.transfer(WorkRequestOpcode.RDMA_WRITE, sink, buffer, bytes)) {
                return;
            }
            connection.tell(null, 0);
        }
    }

    private int checked(long length) {
        if (length > options.size) {
            throw new RdmaException("the client's pings have " + length + " bytes: give the server -S " + length);
        }
        return (int) length;
    }

    private int textLength(MemoryRegion buffer) {
        int length = 0;
        while (length < options.size && buffer.segment().get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return length;
    }
}
