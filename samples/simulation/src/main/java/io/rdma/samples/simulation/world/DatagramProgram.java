package io.rdma.samples.simulation.world;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaDatagramSocket;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DatagramAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Socket for datagrams of a run: it is bound, joins groups, looks up the other sockets, sends to all of them, answers,
 * leaves its groups and is disposed, early or when all have sent.
 */
final class DatagramProgram {
    private static final int FIRST_PORT = 7500;
    private static final long TICK = 10_000_000;
    /** Ticks after which what has not arrived is lost. */
    private static final int LATEST = 200;

    private final int number;
    private final DatagramPlan plan;
    private final Host host;
    private final boolean deviceFails;
    private final DatagramRun run;
    private final Choices choices;
    private final Verdict verdict;
    private final Memberships groups;
    private final ArrayDeque<ReceivedDatagram> held = new ArrayDeque<>();
    private @Nullable RdmaDatagramSocket socket;
    private @Nullable DatagramSender sender;
    private boolean disposing;
    private boolean hasSent;

    /**
     * @param deviceFails whether the host's device may fail
     */
    DatagramProgram(
            int number,
            DatagramPlan plan,
            Host host,
            boolean deviceFails,
            DatagramRun run,
            Choices choices,
            Verdict verdict) {
        this.deviceFails = deviceFails;
        this.number = number;
        this.plan = plan;
        this.host = host;
        this.run = run;
        this.choices = choices;
        this.verdict = verdict;
        groups = new Memberships(this, run.log());
    }

    int number() {
        return number;
    }

    Host host() {
        return host;
    }

    DatagramPlan plan() {
        return plan;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(host.address(), FIRST_PORT + number);
    }

    /** Returns whether it has datagrams of its own to send. */
    boolean isSending() {
        return !hasSent && host.isAlive();
    }

    /** Returns whether it is bound, and is to stay so for now. */
    boolean isOpen() {
        return socket != null && !disposing && host.isAlive();
    }

    /** Returns whether what was sent to a socket or a group at a time must arrive here, if nothing is lost. */
    boolean mustReceive(int to, long sentAt) {
        return isOpen() && (to == number || groups.mustReceive(to, sentAt));
    }

    /** Returns whether what was sent to a socket or a group at a time may arrive here. */
    boolean mayReceive(int to, long sentAt) {
        return to == number || groups.mayReceive(to, sentAt);
    }

    /** Returns whether an address is that of this socket. */
    boolean has(DatagramAddress address) {
        RdmaDatagramSocket bound = socket;
        return bound != null
                && address.qpNumber() == bound.endpoint().qpNumber()
                && address.qkey() == DatagramAddress.UDP_QKEY
                && Objects.requireNonNull(address.path().route())
                        .dgid()
                        .toAddress()
                        .equals(host.address());
    }

    /** Makes a call that no peer and no network can fail. */
    <T> Call<Void> local(String what, Publisher<T> to, Consumer<T> items) {
        return call(what, to, items, this::failed);
    }

    /** Makes a call. */
    <T> Call<Void> call(String what, Publisher<T> to, Consumer<T> items, BiConsumer<String, Throwable> failures) {
        return Recorder.each(host, new Progress<>(verdict, host, this + " " + what, failures), to, items);
    }

    /** Notes a failure. Only a disposal, or the end of the device, fails what does not wait for a peer. */
    void failed(String where, Throwable failure) {
        verdict.note(where + " failed: " + failure);
        if (!(failure instanceof RdmaException) && !verdict.isInjected(failure) || !disposing && !deviceFails) {
            verdict.unexpected(where, failure);
        }
    }

    /** Notes that a group was not left: it had been left already, if the socket was closed before. */
    void failedToLeave(String where, Throwable failure) {
        boolean closed = failure instanceof IllegalStateException && (disposing || deviceFails);
        failed(where, closed ? new RdmaException("closed", failure) : failure);
    }

    /** Notes a look-up that failed. With a good network, a socket that is bound is found. */
    void failedToFind(String where, Throwable failure, boolean bound) {
        verdict.note(where + " failed: " + failure);
        if (!(failure instanceof RdmaConnectException) && !verdict.isInjected(failure)
                || run.isCalm() && bound && !disposing) {
            verdict.unexpected(where, failure);
        }
    }

    void check(boolean holds, String otherwise) {
        verdict.check(holds, this + ": " + otherwise);
    }

    void unexpected(String where, Throwable failure) {
        verdict.unexpected(this + " " + where, failure);
    }

    void start() {
        host.run("datagrams", () -> {
            try {
                LockSupport.parkNanos(plan.begin());
                run();
            } catch (Throwable e) {
                failed(toString(), e);
            } finally {
                hasSent = true;
                disposing = true;
                release();
            }
            host.settle();
        });
    }

    private void run() {
        RdmaDatagramSocket bound;
        Call<Void> received;
        DatagramSender sending;
        try (RdmaResources resources = World.open(host, Terms.USUAL)) {
            bound = bind(resources);
            sending = new DatagramSender(this, bound, groups, run, choices);
            sender = sending;
            socket = bound; // before what arrives is answered
            received = receive(bound);
            if (plan.disposed() > 0) {
                host.run("disposal", () -> disposeEarly(bound));
            }
            groups.join(bound);
            sending.run();
            hasSent = true;
            awaitOthers();
            disposing = true;
            verdict.note(this + (plan.byResources() ? " closes its resources" : " is disposed"));
            if (!plan.byResources()) {
                end(bound, received);
            }
        }
        end(bound, received);
        release();
        sending.checkDisposed();
    }

    private void release() {
        for (ReceivedDatagram one; (one = held.poll()) != null; ) {
            one.close();
        }
    }

    private void disposeEarly(RdmaDatagramSocket bound) {
        LockSupport.parkNanos(plan.disposed());
        verdict.note(this + " is disposed early");
        disposing = true;
        bound.dispose();
    }

    private void end(RdmaDatagramSocket bound, Call<Void> received) {
        bound.disposeNow(World.PATIENCE);
        verdict.check(received.end().isDone(), this + ": the stream did not end with the socket");
        verdict.check(received.succeeds() || deviceFails, this + ": the stream of a disposed socket did not complete");
    }

    private RdmaDatagramSocket bind(RdmaResources resources) {
        return RdmaDatagramSocket.create()
                .resources(resources)
                .host(host.address().getHostAddress())
                .port(FIRST_PORT + number)
                .receiveBuffers(plan.buffers())
                .sendBuffers(plan.window())
                .bindNow(World.PATIENCE);
    }

    private Call<Void> receive(RdmaDatagramSocket from) {
        if (plan.held() < 0) {
            return local("receiving", from.receive(Datagram::read), this::arrived);
        }
        return local("receiving", from.receiveOwned(), datagram -> {
            arrived(Datagram.read(datagram));
            held.add(datagram);
            if (held.size() > plan.held()) {
                held.remove().close();
            }
        });
    }

    private void arrived(Datagram datagram) {
        int asking = run.log().arrived(this, datagram);
        DatagramSender answering = sender;
        if (asking >= 0 && plan.answers() && answering != null) {
            answering.answer(asking, datagram.source());
        }
    }

    /** Waits until no one sends any more, and what may still be under way has arrived. */
    private void awaitOthers() {
        while (run.isSending()) {
            LockSupport.parkNanos(TICK);
        }
        for (int i = 0; i < LATEST && run.isCalm() && !run.log().missing(this).isEmpty(); i++) {
            LockSupport.parkNanos(TICK);
        }
        if (run.isCalm() && !disposing) {
            List<Integer> missing = run.log().missing(this);
            // A socket with fewer buffers loses what arrives while all are occupied, and the device counts that.
            long lost = plan.buffers() - plan.held() > run.log().size()
                    ? 0
                    : Objects.requireNonNull(host.verbs().counters().get("lost_pkts"));
            verdict.check(missing.size() <= lost, this + ": did not receive " + missing + ", and lost " + lost);
        }
    }

    @Override
    public String toString() {
        return "socket " + number;
    }
}
