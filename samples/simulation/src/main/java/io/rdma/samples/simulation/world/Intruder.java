package io.rdma.samples.simulation.world;

import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.DeviceOf;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Program of a host that has learnt the port of a server's RDMA CM, which only authenticated clients are told. It has
 * no token, so it asks with one that it made up.
 */
final class Intruder {
    // docs/internals/protocol.md: private data of a request that lacks nothing but a token
    private static final int MAGIC = 0x4a52444d;
    private static final short VERSION = 1;
    private static final int BUFFERS = 8;
    private static final int BUFFER_SIZE = 512;
    private static final int TOKEN_AT = 28;
    private static final int TOKEN = 16;
    private static final int ATTEMPTS = 3;
    private static final int QUEUE_PAIR = 4711;
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final Host host;
    private final Host server;
    private final Verdict verdict;

    Intruder(Host host, Host server, Verdict verdict) {
        this.host = host;
        this.server = server;
        this.verdict = verdict;
    }

    Host host() {
        return host;
    }

    void start() {
        host.run("main", () -> {
            List<InetSocketAddress> managers = server.verbs().rdmacm().listening();
            if (managers.isEmpty()) {
                verdict.note("intruder: the server does not listen"); // a fault has ended it before
                return;
            }
            try (DeviceContext context = DeviceOf.only(host.seam()).open();
                    CmEventChannel channel = context.createEventChannel()) {
                for (int i = 0; i < ATTEMPTS; i++) {
                    ask(channel, managers.getFirst());
                }
            } catch (VerbsException e) {
                verdict.failure("intruder", e);
            } catch (RuntimeException e) {
                verdict.unexpected("intruder", e);
            }
        });
    }

    private void ask(CmEventChannel channel, InetSocketAddress manager) {
        byte[] token = new byte[TOKEN];
        host.random().nextBytes(token);
        byte[] request = ByteBuffer.allocate(TOKEN_AT + TOKEN)
                .putInt(MAGIC)
                .putShort(VERSION)
                .putShort((short) 0)
                .putInt(BUFFERS)
                .putInt(BUFFER_SIZE)
                .putInt(BUFFER_SIZE)
                .put((byte) VERSION)
                .put((byte) VERSION)
                .put(TOKEN_AT, token)
                .array();
        try (CmIdentifier id = channel.createIdentifier(PortSpace.TCP)) {
            id.resolveAddress(null, manager, SHORT);
            next(channel, CmEventType.ADDR_RESOLVED);
            id.resolveRoute(SHORT);
            next(channel, CmEventType.ROUTE_RESOLVED);
            id.connect(ConnectionParameters.DEFAULT.withPrivateData(request).withQueuePair(QUEUE_PAIR, false));
            CmEventType answer = next(channel, CmEventType.REJECTED, CmEventType.UNREACHABLE);
            verdict.note("intruder: " + answer);
        }
    }

    private CmEventType next(CmEventChannel channel, CmEventType... allowed) {
        CmEvent event;
        while ((event = channel.take()) == null) {
            channel.await(-1);
        }
        verdict.check(List.of(allowed).contains(event.type()), "an intruder was told " + event);
        return event.type();
    }
}
