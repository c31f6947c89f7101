package io.rdma.samples.simulation.world;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaConnectException;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.DatagramTooLongException;
import io.rdma.reactive.RdmaDatagramSocket;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.verbs.DatagramAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Sending side of a {@link DatagramProgram}: looks the other sockets up, sends to them and to groups, and answers. */
final class DatagramSender {
    private static final int LOOK_UPS = 3;
    private static final long BETWEEN_LOOK_UPS = 3_000_000;

    private final DatagramProgram program;
    private final RdmaDatagramSocket socket;
    private final Memberships groups;
    private final DatagramRun run;
    private final Choices choices;
    private final List<DatagramTarget> peers = new ArrayList<>();
    private final ArrayDeque<CompletableFuture<Void>> underWay = new ArrayDeque<>();

    DatagramSender(
            DatagramProgram program, RdmaDatagramSocket socket, Memberships groups, DatagramRun run, Choices choices) {
        this.program = program;
        this.socket = socket;
        this.groups = groups;
        this.run = run;
        this.choices = choices;
    }

    /** Sends what the plan says, and waits until all of it is sent. */
    void run() {
        DatagramPlan plan = program.plan();
        for (DatagramProgram peer : run.programs()) {
            DatagramAddress address = find(peer);
            if (address != null) {
                peers.add(new DatagramTarget(peer.number(), address));
                expect(send(socket.maxMessageSize() + 1, address), DatagramTooLongException.class);
            }
        }
        for (int i = 0; i < plan.count(); i++) {
            if (i == plan.leaves()) {
                groups.leave(socket);
                if (choices.oneIn(2)) {
                    groups.join(socket);
                }
            }
            List<DatagramTarget> targets = new ArrayList<>(peers);
            targets.addAll(groups.targets());
            if (!targets.isEmpty()) {
                underWay.add(send(targets.get(choices.below(targets.size())), false));
            }
            if (underWay.size() > plan.window()) {
                underWay.remove().join();
            }
            LockSupport.parkNanos(choices.below(plan.pause()));
        }
        underWay.forEach(CompletableFuture::join);
    }

    private Mono<Void> send(int length, DatagramAddress to) {
        return socket.send(length, memory -> Datagram.write(0, memory), to);
    }

    private @Nullable DatagramAddress find(DatagramProgram peer) {
        for (int i = 0; i < LOOK_UPS; i++) {
            List<DatagramAddress> found = new ArrayList<>(1);
            boolean open = peer.isOpen();
            Call<Void> look = program.call(
                    "looking up " + peer,
                    socket.resolve(
                            peer.address().getAddress().getHostAddress(),
                            peer.address().getPort()),
                    found::add,
                    (where, failure) -> program.failedToFind(where, failure, open && peer.isOpen()));
            if (look.succeeds()) {
                program.check(found.size() == 1, "found " + found.size() + " addresses of " + peer);
                program.check(!open || peer.has(found.getFirst()), "found " + found + " for " + peer);
                return found.getFirst();
            }
            LockSupport.parkNanos(BETWEEN_LOOK_UPS);
        }
        return null;
    }

    /** Answers a datagram, to the source that it shows. */
    void answer(int asking, DatagramAddress source) {
        send(new DatagramTarget(asking, source), true);
    }

    /** Sends a datagram. The future completes when that has ended. */
    private CompletableFuture<Void> send(DatagramTarget to, boolean answer) {
        int length = Datagram.HEADER + choices.below(program.plan().longest() - Datagram.HEADER + 1);
        int number = run.log().add(program, to.number(), length, answer, run.programs());
        CompletableFuture<Void> end = new CompletableFuture<>();
        if (Datagram.Kind.of(number) == Datagram.Kind.WRITTEN) {
            record(number, end, socket.send(length, memory -> Datagram.write(number, memory), to.address()));
            return end;
        }
        List<RegisteredBuffer> acquired = new ArrayList<>(1);
        program.call(
                "acquiring for " + number,
                socket.acquire(),
                buffer -> {
                    acquired.add(buffer);
                    Datagram.write(number, buffer.segment().asSlice(0, length));
                    record(number, end, sendBuffer(number, buffer.limit(length), to.address()));
                    buffer.close(); // the device may read it all the same
                },
                (where, failure) -> {
                    program.failed(where, failure);
                    program.check(acquired.isEmpty(), "a buffer, and then an error");
                    end.complete(null);
                });
        return end;
    }

    private Mono<Void> sendBuffer(int number, RegisteredBuffer buffer, DatagramAddress to) {
        return Datagram.Kind.of(number) == Datagram.Kind.IMMEDIATE
                ? socket.sendWithImmediate(buffer, number, to)
                : socket.send(buffer, to);
    }

    private void record(int number, CompletableFuture<Void> end, Mono<Void> send) {
        program.local(
                        "datagram " + number,
                        send.doOnSuccess(nothing -> run.log().sent(number)),
                        nothing -> {})
                .end()
                .whenComplete((nothing, failure) -> end.complete(null));
    }

    /** Checks what a socket does after its disposal. */
    void checkDisposed() {
        if (!peers.isEmpty()) {
            expect(send(Datagram.HEADER, peers.getFirst().address()), ConnectionClosedException.class);
        }
        expect(socket.resolve(program.address().getAddress().getHostAddress(), 1), RdmaConnectException.class);
        expect(socket.join(groups.group(0)), RdmaConnectException.class);
        expect(socket.leave(groups.group(0)), IllegalStateException.class);
    }

    private void expect(Mono<?> refused, Class<? extends Exception> error) {
        try {
            refused.block(World.PATIENCE);
            program.check(false, "no " + error.getSimpleName());
        } catch (RuntimeException e) {
            if (!error.isInstance(e)) {
                program.unexpected("in place of " + error.getSimpleName(), e);
            }
        }
    }
}
