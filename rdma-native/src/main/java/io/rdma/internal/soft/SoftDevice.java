package io.rdma.internal.soft;

import io.rdma.internal.ffi.Ibv;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - One thread owns all protocol state: queue pairs, keys, the socket. Others post into rings and ring, or call and
// wait.
// - Only run() of a queue pair sends; incoming packets change state and make the queue pair runnable. So delivery
// inside the device nests one level.
// - Every access to memory goes through the keys, which check.

/** The running part of an open software device: its thread, its queue pairs, its keys, its link. */
final class SoftDevice {
    private static final int RECEIVES_PER_TURN = 64;
    private static final int SPINS = 100;
    private static final long TIMER_SCAN_NANOS = 500_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final IntTable<SoftQp> qps = new IntTable<>();
    final MemoryKeys keys = new MemoryKeys();
    final HandleTable handles;
    private final List<SoftQp> all = new ArrayList<>();
    private final ArrayDeque<SoftQp> runQueue = new ArrayDeque<>();
    private final Queue<SoftQp> doorbells = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final Queue<Runnable> calls = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final Packet incoming = new Packet();
    private final Selector selector;
    private final UdpLink link;
    private final Thread thread;
    private long lastScan;
    private volatile boolean sleeping;
    private volatile boolean open = true;

    SoftDevice(SoftConfig config, HandleTable handles) {
        this.handles = handles;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        link = new UdpLink(config, selector);
        thread = Thread.ofPlatform().daemon().name("rdma-soft0").unstarted(this::loop);
        thread.start();
    }

    InetSocketAddress local() {
        return link.local();
    }

    /** Datagrams that were no packets, or for nobody. */
    long dropped() {
        return call(link::dropped);
    }

    /** Runs something on the device thread and waits. */
    <T> T call(Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        calls.add(() -> {
            try {
                result.complete(task.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        wake();
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof VerbsException verbs) {
                throw verbs;
            }
            throw e;
        }
    }

    /** Something was posted. Any thread. */
    void ring(SoftQp qp) {
        if (qp.rung.compareAndSet(false, true)) {
            doorbells.add(qp);
            wake();
        }
    }

    private void wake() {
        if (sleeping) {
            selector.wakeup();
        }
    }

    void close() {
        open = false;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        int idle = 0;
        while (open) {
            if (turn()) {
                idle = 0;
            } else if (++idle < SPINS) {
                Thread.onSpinWait();
            } else {
                sleep();
                idle = 0;
            }
        }
        link.close();
        try {
            selector.close();
        } catch (IOException e) {
            System.getLogger(SoftDevice.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }

    private boolean turn() {
        boolean work = false;
        Runnable call;
        while ((call = calls.poll()) != null) {
            call.run();
            work = true;
        }
        SoftQp rang;
        while ((rang = doorbells.poll()) != null) {
            rang.rung.set(false); // before the rings are read: what is posted later rings again
            runnable(rang);
        }
        long now = System.nanoTime();
        for (int i = 0; i < RECEIVES_PER_TURN; i++) {
            InetSocketAddress from = link.receive(incoming);
            if (from == null) {
                break;
            }
            deliver(incoming, from, now);
            work = true;
        }
        if (now - lastScan > TIMER_SCAN_NANOS) {
            lastScan = now;
            for (SoftQp qp : all) {
                long at = qp.requester.wakeAt();
                if (at != 0 && now - at >= 0) {
                    runnable(qp);
                }
            }
        }
        for (int i = runQueue.size(); i > 0; i--) {
            SoftQp qp = runQueue.remove();
            qp.queued = false;
            if (qp.run(now)) {
                runnable(qp);
            }
            work = true;
        }
        return work;
    }

    private void sleep() {
        sleeping = true;
        try {
            if (doorbells.isEmpty() && calls.isEmpty() && open) {
                long until = nextTimer();
                if (until == 0) {
                    selector.select();
                } else {
                    long millis = Math.max(1, (until - System.nanoTime() + 999_999) / 1_000_000);
                    selector.select(millis);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            sleeping = false;
        }
    }

    private long nextTimer() {
        long next = 0;
        for (SoftQp qp : all) {
            long at = qp.requester.wakeAt();
            if (at != 0 && (next == 0 || at - next < 0)) {
                next = at;
            }
        }
        return next;
    }

    /** Has a queue pair run soon. Device thread. */
    void runnable(SoftQp qp) {
        if (!qp.queued) {
            qp.queued = true;
            runQueue.add(qp);
        }
    }

    void transmit(SoftQp from, Packet packet) {
        InetSocketAddress peer = from.peer;
        if (peer == null) {
            deliver(packet, null, System.nanoTime());
        } else {
            link.send(packet, peer);
        }
    }

    private void deliver(Packet packet, @Nullable InetSocketAddress from, long now) {
        SoftQp qp = qps.get(packet.destQpn);
        if (qp == null || !connected(qp, from)) {
            return; // for nobody, or not from the peer that the queue pair is connected to
        }
        if (Opcode.isResponse(packet.opcode)) {
            qp.requester.response(packet, now);
        } else {
            qp.responder.request(packet);
        }
    }

    private static boolean connected(SoftQp qp, @Nullable InetSocketAddress from) {
        InetSocketAddress peer = qp.peer;
        return peer == null || from == null ? peer == from : SoftAddress.sends(peer, from);
    }

    /** Process address of memory that a local key names, or 0 when key, domain, range or rights do not fit. */
    long translate(SoftPd pd, int key, long address, long bytes, int access) {
        return keys.local(pd, key, address, bytes, access);
    }

    /** Copies the payload into the memory of a request from {@code offset} on. @return false if that memory may not be written */
    boolean scatter(SoftPd pd, WorkRequest into, long offset, Packet packet) {
        long skip = offset;
        int copied = 0;
        for (int i = 0; i < into.numSge && copied < packet.payload; i++) {
            int size = into.bytes[i];
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int part = (int) Math.min(size - skip, packet.payload - copied);
            long to = translate(pd, into.lkey[i], into.address[i] + skip, part, Ibv.ACCESS_LOCAL_WRITE);
            if (to == 0) {
                return false;
            }
            packet.copyOut(copied, to, part);
            copied += part;
            skip = 0;
        }
        return copied == packet.payload;
    }

    void add(SoftQp qp) {
        qps.put(qp.qpn, qp);
        all.add(qp);
    }

    void remove(SoftQp qp) {
        qps.remove(qp.qpn);
        all.remove(qp);
        runQueue.remove(qp);
        qp.queued = true; // a doorbell still on its way must not run it
        qp.sendCq.purge(qp);
        qp.recvCq.purge(qp);
        qp.forgetArriving();
        keys.forget(qp);
    }

    int freshQpn() {
        int qpn;
        do {
            qpn = RANDOM.nextInt(1 << 24);
        } while (qpn < 2 || qps.get(qpn) != null); // 0 and 1 are for management
        return qpn;
    }

    /** All queue pairs of an overrun completion queue are lost, {@code IBV_EVENT_CQ_ERR}, and cannot complete anything there. */
    void overrun(SoftCq cq) {
        cq.tellOverrun();
        for (SoftQp qp : all) {
            if ((qp.sendCq == cq || qp.recvCq == cq) && qp.state != Ibv.QPS_ERR) {
                qp.state = Ibv.QPS_ERR;
                qp.tell(Ibv.EVENT_QP_FATAL);
                runnable(qp);
            }
        }
    }

    static VerbsException busy(String call) {
        return new VerbsException(
                call, Errno.EBUSY, "Something that was made from this object is still open: close that first");
    }
}
