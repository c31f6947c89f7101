package io.rdma.internal.soft.link;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

// Invariants
// - Each packet draws the same number of random values, regardless of their outcome. So the fate of the n-th packet of
// a link depends only on the seed and n.
// - Waiting packets are copies. They leave in the order of their due times; those with equal times leave in the order
// of arrival.

/** A faulty link, which loses, duplicates, corrupts and delays packets. In a turn. */
public final class FaultInjector {
    /** Additional delay of a packet that others are to overtake. */
    private static final long OVERTAKEN_NANOS = 1_000_000;
    /** Upper bound of packets that wait; further ones are lost. */
    private static final int MAX_WAITING = 10_000;

    private static final class Link {
        final SoftFaults faults;
        final SplittableRandom chance;
        long freeAt;

        Link(SoftFaults faults, long now) {
            this.faults = faults;
            this.chance = new SplittableRandom(faults.seed());
            this.freeAt = now;
        }
    }

    private record Waiting(long due, long number, byte[] packet, UdpAddress to) implements Comparable<Waiting> {
        @Override
        public int compareTo(Waiting other) {
            int byTime = Long.signum(due - other.due);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final Environment environment;
    private final LinkSocket socket;
    private final Map<InetSocketAddress, Link> links = new HashMap<>();
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
    private FaultPlan.Settings current;
    private long number;

    public FaultInjector(Environment environment, LinkSocket socket, FaultPlan.Settings settings) {
        this.environment = environment;
        this.socket = socket;
        this.current = settings;
    }

    /** Sends, delays or drops the packet that is written at the socket's frame. */
    public void send(FaultPlan.Settings settings, int length, InetSocketAddress peer, UdpAddress to) {
        if (settings != current) {
            links.clear();
            current = settings;
        }
        long now = environment.nanoTime();
        Link link = links.computeIfAbsent(peer, p -> new Link(settings.of(p), now));
        SoftFaults faults = link.faults;
        boolean lost = link.chance.nextDouble() < faults.loss();
        boolean twice = link.chance.nextDouble() < faults.duplicate();
        boolean overtaken = link.chance.nextDouble() < faults.reorder();
        boolean damaged = link.chance.nextDouble() < faults.corrupt();
        int bit = link.chance.nextInt(length * Byte.SIZE);
        long jitter = (long) (link.chance.nextDouble() * faults.jitterNanos());
        if (lost || faults.down().getAsBoolean()) {
            return;
        }
        ByteBuffer memory = socket.memory();
        int at = socket.frame();
        if (damaged) {
            int where = at + bit / Byte.SIZE;
            memory.limit(memory.capacity()).put(where, (byte) (memory.get(where) ^ 1 << bit % Byte.SIZE));
        }
        long due = now + faults.delayNanos() + jitter + (overtaken ? OVERTAKEN_NANOS : 0);
        if (faults.bytesPerSecond() > 0) {
            long start = link.freeAt - now > 0 ? link.freeAt : now;
            link.freeAt = start + (long) (length * 1e9 / faults.bytesPerSecond());
            due += link.freeAt - now;
        }
        if (due == now && !twice) {
            socket.send(length, to);
            return;
        }
        byte[] packet = new byte[length];
        memory.limit(memory.capacity()).get(at, packet);
        for (int i = twice ? 2 : 1; i > 0; i--) {
            if (waiting.size() < MAX_WAITING) {
                waiting.add(new Waiting(due, number++, packet, to));
            }
        }
        release(now);
    }

    /** Sends the packets that are due. */
    public void release(long now) {
        for (Waiting first; (first = waiting.peek()) != null && first.due() - now <= 0; ) {
            waiting.remove();
            socket.memory().limit(socket.memory().capacity()).put(socket.frame(), first.packet());
            socket.send(first.packet().length, first.to());
        }
    }

    /** Returns the time for the next {@link #release}; 0 for none. */
    long wakeAt() {
        Waiting first = waiting.peek();
        return first == null ? 0 : first.due() | 1;
    }
}
