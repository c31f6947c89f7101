package io.rdma.reactive.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.lib.FfmVerbs;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.TestDevice;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.RdmaDevice;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

// Invariants
// - A queue pair that has stopped posts nothing, messages included, until it is released. So the order stays.
// - The poster reuses requests and scatter entries behind a post, so those that are held are copies. The bytes that
// they name belong to the operation until it ends.
// - Nothing is posted to a queue pair whose destruction has begun.

/** Device that stops queue pairs in the middle of an operation: the engine takes their requests for posted. */
final class StoppableDevice {
    private final String name;
    private final Verbs real;
    private final Verbs verbs;
    private final Arena arena = Arena.ofAuto();
    private final Map<Long, Stop> stops = new HashMap<>(); // by queue pair; guarded by this, as are all stops
    private Stop next; // of the queue pair that posts the next one-sided request

    StoppableDevice(String name) {
        this.name = name;
        real = TestDevice.assumed(name).name().equals("soft0")
                ? SoftVerbs.shared()
                : FfmVerbs.ifAvailable().orElseThrow();
        verbs = (Verbs) Proxy.newProxyInstance(
                Verbs.class.getClassLoader(), new Class<?>[] {Verbs.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("postSend")) {
                        return post((long) arguments[0], (long) arguments[1], (long) arguments[2]);
                    }
                    if (method.getName().equals("destroyQp")) {
                        forget((long) arguments[0]);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    RdmaDevice device() {
        return DeviceOf.named(verbs, name);
    }

    /** Stop of one queue pair, behind a number of requests. */
    final class Stop {
        private final List<WorkRequestOpcode> requests;
        private final int most;
        private final List<WorkRequestOpcode> seen = new ArrayList<>();
        private final Deque<Long> held = new ArrayDeque<>();
        private final CountDownLatch reached = new CountDownLatch(1);
        private long queuePair;
        private boolean released;

        Stop(List<WorkRequestOpcode> requests, int most) {
            this.requests = requests;
            this.most = most;
        }

        /** Returns whether a request and those behind it are held. */
        private boolean holds(long request) {
            WorkRequestOpcode opcode = WorkRequestOpcode.of(SendWr.opcode(request));
            if (released || !held.isEmpty() || opcode.consumesReceive()) {
                return !released && !held.isEmpty();
            }
            seen.add(opcode);
            return seen.size() > most;
        }

        private void hold(long request) {
            held.add(copy(request));
            reached.countDown();
        }

        /** Waits until a request is held. */
        void await() throws InterruptedException {
            assertThat(reached.await(StructuresFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("%s of %s are posted", most, requests)
                    .isTrue();
            synchronized (StoppableDevice.this) {
                requireExpected();
            }
        }

        /** Checks that the requests were those that the operation has. */
        void requireExpected() {
            assertThat(seen).isEqualTo(requests.subList(0, Math.min(requests.size(), most + 1)));
        }

        /** Posts the first request that is held. Those behind it stay. */
        void postOne() {
            synchronized (StoppableDevice.this) {
                post(held.removeFirst());
                held.addFirst(0L); // nothing behind it may pass
            }
        }

        /** Posts all requests that are held, and those that come. */
        void release() {
            synchronized (StoppableDevice.this) {
                released = true;
                held.forEach(this::post);
                held.clear();
            }
        }

        private void post(long request) {
            if (request != 0) {
                assertThat(real.postSend(
                                queuePair,
                                request,
                                arena.allocate(Long.BYTES, Long.BYTES).address()))
                        .isZero();
            }
        }
    }

    /** Stops the queue pair that posts the next one-sided request, behind so many of the expected requests. */
    synchronized Stop stopNext(List<WorkRequestOpcode> requests, int most) {
        next = new Stop(requests, most);
        return next;
    }

    private synchronized int post(long queuePair, long first, long badWr) {
        Stop stop = stopOf(queuePair, first);
        if (stop == null) {
            return real.postSend(queuePair, first, badWr);
        }
        long before = 0;
        long request = first;
        while (request != 0 && !stop.holds(request)) {
            before = request;
            request = SendWr.next(request);
        }
        if (before != 0) {
            SendWr.next(before, 0);
            int result = real.postSend(queuePair, first, badWr);
            SendWr.next(before, request);
            if (result != 0) {
                return result;
            }
        }
        for (; request != 0; request = SendWr.next(request)) {
            stop.hold(request);
        }
        return 0;
    }

    private Stop stopOf(long queuePair, long first) {
        Stop stop = stops.get(queuePair);
        if (stop != null || next == null) {
            return stop;
        }
        for (long request = first; request != 0; request = SendWr.next(request)) {
            if (!WorkRequestOpcode.of(SendWr.opcode(request)).consumesReceive()) {
                stop = next;
                next = null;
                stop.queuePair = queuePair;
                stops.put(queuePair, stop);
                return stop;
            }
        }
        return null;
    }

    private synchronized void forget(long queuePair) {
        Stop stop = stops.remove(queuePair);
        if (stop != null) {
            stop.held.clear();
        }
    }

    private long copy(long request) {
        int entries = SendWr.numSge(request) * Sge.SIZE;
        long copy = arena.allocate(SendWr.SIZE + entries, Long.BYTES).address();
        NativeMemory.copy(request, copy, SendWr.SIZE);
        NativeMemory.copy(SendWr.sgList(request), copy + SendWr.SIZE, entries);
        SendWr.sgList(copy, copy + SendWr.SIZE);
        SendWr.next(copy, 0);
        return copy;
    }
}
