package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.BoundWindow;
import io.rdma.testing.seam.SeamScenario;
import io.rdma.testing.seam.Setup;
import io.rdma.testing.seam.Tally;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Scenario of a server that echoes messages and a client that uses every operation of a connection. */
final class ReactiveScenario implements SeamScenario {
    private static final int MESSAGES = 10;
    private static final int BLOCK = 64;

    /** Limit of a wait. It exceeds the sweep's own limit, so the sweep reports a missing end before this wait fails. */
    private static final long FOR_EVER_SECONDS = 120;

    /** Exception of a failed step, whose failure the tally already has. */
    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1;
    }

    @Override
    public void run(RdmaDevice device, Setup setup, Tally tally) {
        // Opens again, once, what a fault has broken: a device that failed at one call works at the next.
        if (new Attempt(device, setup, tally).run() || new Attempt(device, setup, tally).run()) {
            tally.worked();
        }
    }

    /** Server and client on resources of their own, from their opening to their close. */
    private static final class Attempt {
        private final RdmaDevice device;
        private final Setup setup;
        private final Tally tally;
        private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();

        Attempt(RdmaDevice device, Setup setup, Tally tally) {
            this.device = device;
            this.setup = setup;
            this.tally = tally;
        }

        /** Returns whether a connection works at the end of the attempt. */
        boolean run() {
            RdmaResources serving = open("the server's resources");
            RdmaResources asking = open("the client's resources");
            DisposableServer server = null;
            try {
                if (serving == null || asking == null) {
                    return false;
                }
                server = await(
                        "bind",
                        RdmaServer.create()
                                .host(setup.host())
                                .resources(serving)
                                .options(o -> setup.options())
                                .handle(this::echo)
                                .bind());
                boolean all = session(asking, server.port(), true);
                return session(asking, server.port(), !all);
            } catch (Failed e) {
                return false;
            } catch (Exception | Error e) { // thrown by server.port()
                tally.begin("attempt").failed(e);
                return false;
            } finally {
                if (server != null) {
                    server.dispose();
                    tryAwait("the server's end", server.onDispose());
                }
                close("close of the client's resources", asking);
                close("close of the server's resources", serving);
            }
        }

        private RdmaResources open(String what) {
            Tally.Operation opening = tally.begin(what);
            try {
                RdmaResources opened = setup.open(device);
                opening.ended();
                return opened;
            } catch (Throwable e) {
                opening.failed(e);
                return null;
            }
        }

        private void close(String what, RdmaResources resources) {
            if (resources == null) {
                return;
            }
            Tally.Operation closing = tally.begin(what);
            try {
                resources.close();
                closing.ended();
            } catch (Throwable e) {
                closing.failed(e);
            }
        }

        private Mono<Void> echo(RdmaConnection connection) {
            Tally.Operation handling = tally.begin("the handler");
            accepted.add(connection);
            return connection
                    .send(connection.receive(ReceivedMessage::toByteArray), (bytes, target) -> {
                        if (bytes.length <= target.byteSize()) {
                            target.copyFrom(MemorySegment.ofArray(bytes));
                            return bytes.length;
                        }
                        return -bytes.length; // asks for a larger buffer
                    })
                    .doFinally(how -> handling.ended());
        }

        /**
         * Makes a connection, uses it and closes it.
         *
         * @return whether the connection did all that it should
         */
        private boolean session(RdmaResources resources, int port, boolean everything) {
            RdmaConnection client = null;
            try (Arena arena = Arena.ofShared()) {
                client = await(
                        "connect",
                        RdmaClient.create()
                                .host(setup.host())
                                .port(port)
                                .resources(resources)
                                .options(o -> setup.options())
                                .connect());
                RdmaConnection server = accepted(client);
                messages(client);
                if (everything) {
                    large(client);
                    oneSided(client, server);
                    window(client, server);
                    registered(client, server, arena.allocate(BLOCK));
                }
                await("close of the client", client.disposeLater());
                await("the peer's end", server.onDispose());
                return true;
            } catch (Failed e) {
                return false;
            } catch (Exception | Error e) { // thrown by a close, which passes on errors of the device
                tally.begin("session").failed(e);
                return false;
            } finally {
                if (client != null) {
                    tryAwait("close of the client", client.disposeLater());
                }
                for (RdmaConnection peer; (peer = accepted.poll()) != null; ) {
                    tryAwait("close of a peer", peer.disposeLater());
                }
            }
        }

        private RdmaConnection accepted(RdmaConnection client) throws Failed, InterruptedException {
            RdmaConnection peer;
            while ((peer = accepted.poll(1, TimeUnit.MILLISECONDS)) == null) {
                if (client.isDisposed()) {
                    throw new Failed();
                }
            }
            accepted.add(peer);
            return peer;
        }

        private void messages(RdmaConnection client) throws Failed {
            Wait<Integer> arrived = begin(
                    "receive",
                    client.receive(ReceivedMessage::length)
                            .take(MESSAGES)
                            .count()
                            .map(Long::intValue));
            await("send", client.send(Flux.range(1, MESSAGES), (length, target) -> length));
            expect(MESSAGES, arrived.end());
        }

        private void large(RdmaConnection client) throws Failed {
            Wait<Integer> arrived = begin(
                    "receive a large message",
                    client.receive(ReceivedMessage::length).next());
            await("send a large message", client.send(setup.large(), target -> target.fill((byte) 1)));
            expect(setup.large(), arrived.end());
        }

        private void expect(Integer wanted, Integer got) throws Failed {
            if (!wanted.equals(got)) { // the connection ended early
                throw new Failed();
            }
        }

        private void oneSided(RdmaConnection client, RdmaConnection server) throws Failed {
            MemoryRegion region = await(
                    "allocate",
                    server.allocate(
                            BLOCK,
                            AccessFlag.LOCAL_WRITE,
                            AccessFlag.REMOTE_WRITE,
                            AccessFlag.REMOTE_READ,
                            AccessFlag.REMOTE_ATOMIC));
            RemoteMemory remote = region.remote();
            try (RegisteredBuffer buffer = await("acquire", client.acquire())) {
                buffer.limit(BLOCK);
                await("write", client.write(buffer, remote));
                await("read", client.read(remote, buffer));
            }
            await("fetch and add", client.fetchAndAdd(remote.slice(0, Long.BYTES), 1));
        }

        private void window(RdmaConnection client, RdmaConnection server) throws Failed {
            MemoryRegion region =
                    await("allocate for a window", server.allocate(BLOCK, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
            try (BoundWindow window = await("bind a window", server.bind(region, 0, BLOCK, AccessFlag.REMOTE_WRITE));
                    RegisteredBuffer buffer = await("acquire for a window", client.acquire())) {
                await("write to a window", client.write(buffer.limit(BLOCK), window.remote()));
            }
        }

        private void registered(RdmaConnection client, RdmaConnection server, MemorySegment memory) throws Failed {
            MemoryRegion region = await(
                    "allocate for registered memory",
                    server.allocate(BLOCK, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
            try (RegisteredBuffer buffer = await("register", client.register(memory))) {
                await("write registered memory", client.write(buffer, region.remote()));
            }
            client.endpoint().registrations().invalidate(memory);
        }

        private <T> T await(String what, Mono<T> mono) throws Failed {
            return begin(what, mono).end();
        }

        private <T> void tryAwait(String what, Mono<T> mono) {
            try {
                await(what, mono);
            } catch (Failed e) {
                // the tally already has it
            }
        }

        private <T> Wait<T> begin(String what, Mono<T> mono) {
            Wait<T> wait = new Wait<>(tally.begin(what));
            try {
                mono.subscribe(wait);
            } catch (Throwable e) { // subscribe must not throw: with a signal as well, that makes two ends
                wait.onError(e);
            }
            return wait;
        }
    }

    /** Subscriber that reports each terminal signal to the tally. */
    private static final class Wait<T> implements CoreSubscriber<T> {
        private final Tally.Operation operation;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private volatile T last;

        Wait(Tally.Operation operation) {
            this.operation = operation;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(T value) {
            last = value;
        }

        @Override
        public void onError(Throwable error) {
            operation.failed(error);
            result.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            operation.ended();
            result.complete(last);
        }

        T end() throws Failed {
            try {
                return result.get(FOR_EVER_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new Failed();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
