package io.rdma.interop;

import static io.rdma.interop.Side.DEPTH;
import static io.rdma.interop.Side.check;

import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.QueuePairType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Test of every operation of a transport (RC, UC, UD) between two processes with any two devices. It runs in both
 * directions and compares each byte and each completion:
 *
 * <pre>
 * EveryOperation TRANSPORT PORT DEVICE MAX_BYTES ROUNDS [HOST]
 * </pre>
 *
 * <p>Without HOST the process is the server. Both processes get the same TRANSPORT, PORT, MAX_BYTES and ROUNDS. Each
 * operation first runs alone, with 0 bytes up to MAX_BYTES, or up to the size of a datagram. A reliable connection then
 * runs atomics, atomic writes, and ROUNDS rounds in which both ends post {@value Side#DEPTH} requests of all kinds at
 * once. Both ends derive these requests from a seed, so each end knows the requests of the other. The exit status is 0
 * if all checks passed.
 */
final class EveryOperation {
    private static final int LARGE = 64 << 20;
    private static final int[] SIZES = {
        0, 1, 3, 4, 8, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 65536, 100_003, 1 << 20, (16 << 20) + 1, LARGE
    };
    private static final WorkRequestOpcode[] MOVES = {
        WorkRequestOpcode.SEND,
        WorkRequestOpcode.SEND_WITH_IMM,
        WorkRequestOpcode.RDMA_WRITE,
        WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
        WorkRequestOpcode.RDMA_READ
    };
    /** Number of bytes behind the memory that an operation may touch. */
    private static final int GUARD = 64;

    private static final byte GUARDED = 0x5a;
    /** Number of bytes that one request of a round may have. */
    private static final int SLOT = 20_000;

    private static final ValueLayout.OfLong LITTLE_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Side side;
    private final boolean client;
    private final int maxBytes;

    private EveryOperation(Side side, boolean client, int maxBytes) {
        this.side = side;
        this.client = client;
        this.maxBytes = maxBytes;
    }

    public static void main(String[] args) throws IOException {
        QueuePairType type = QueuePairType.valueOf(args[0]);
        int port = Integer.parseInt(args[1]);
        int maxBytes = Integer.parseInt(args[3]);
        int rounds = Integer.parseInt(args[4]);
        boolean client = args.length > 5;
        try (Socket control = client ? new Socket(args[5], port) : accept(port)) {
            control.setTcpNoDelay(true);
            try (Side side = new Side(args[2], type, control, bytesOf(maxBytes))) {
                EveryOperation run = new EveryOperation(
                        side, client, type == QueuePairType.UD ? Math.min(maxBytes, side.mtu.bytes()) : maxBytes);
                run.alone(type);
                if (type == QueuePairType.RC) {
                    run.atomics(client);
                    run.atomics(!client);
                    run.atomicWrites(client);
                    run.atomicWrites(!client);
                    for (int round = 0; round < rounds; round++) {
                        run.together(round);
                    }
                }
                side.meet();
            }
        }
        System.out.println("all right");
    }

    private static Socket accept(int port) throws IOException {
        try (ServerSocket listener = new ServerSocket(port)) {
            return listener.accept();
        }
    }

    private static long bytesOf(int maxBytes) {
        return Math.max(maxBytes + 2L * GUARD, 5L * DEPTH * SLOT);
    }

    private void alone(QueuePairType type) throws IOException {
        int seed = 0;
        for (int size : SIZES) {
            if (size > maxBytes) {
                continue;
            }
            long start = System.nanoTime();
            for (WorkRequestOpcode operation : MOVES) {
                if (type.operations().contains(operation)) {
                    move(operation, size, ++seed, client);
                    move(operation, size, ++seed, !client);
                }
            }
            System.out.printf("%d bytes each way, each operation: %.3f s%n", size, (System.nanoTime() - start) / 1e9);
        }
    }

    private void move(WorkRequestOpcode operation, int size, int seed, boolean active) throws IOException {
        boolean source = active != (operation == WorkRequestOpcode.RDMA_READ);
        int front = side.inFront();
        if (source) {
            fill(0, size, seed);
        } else {
            side.memory(0, front + size).fill((byte) 0);
            side.memory(front + size, GUARD).fill(GUARDED);
        }
        if (!active && operation.consumesReceive()) {
            side.receives.add(seed).entry(side.address(0), front + size, side.region.lkey());
            side.post(side.receives);
        }
        side.meet();
        if (active) {
            post(operation, size, seed);
            check(side.await().wrId(0) == seed, "request completed");
        }
        if (!active && operation.consumesReceive()) {
            received(side.await(), operation, front + size, seed);
        }
        if (!active && operation == WorkRequestOpcode.RDMA_WRITE) { // an unreliable write may still be under way
            side.until("the bytes of a write in time", () -> matches(0, size, seed));
        }
        side.meet();
        if (!source) {
            compare(front, size, seed);
            check(
                    side.memory(front + size, GUARD).mismatch(guard()) == -1,
                    "what lies behind the message is untouched");
        }
        side.none();
    }

    private void post(WorkRequestOpcode operation, int size, int seed) {
        side.sends
                .add(seed, operation)
                .entry(side.address(0), size, side.region.lkey())
                .signaled();
        side.address();
        if (operation != WorkRequestOpcode.SEND && operation != WorkRequestOpcode.SEND_WITH_IMM) {
            side.sends.remote(side.remote.address(), side.remote.rkey());
        }
        if (operation == WorkRequestOpcode.SEND_WITH_IMM || operation == WorkRequestOpcode.RDMA_WRITE_WITH_IMM) {
            side.sends.immediate(~seed);
        }
        side.post(side.sends);
    }

    private static void received(CompletionBatch completion, WorkRequestOpcode operation, int size, int seed) {
        check(completion.wrId(0) == seed, "receive completed");
        check(completion.byteLength(0) == size, "length " + completion.byteLength(0) + " of " + size);
        boolean immediate =
                operation == WorkRequestOpcode.SEND_WITH_IMM || operation == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
        check(completion.hasImmediate(0) == immediate, "immediate or not");
        check(!immediate || completion.immediate(0) == ~seed, "immediate data");
    }

    /** Runs atomics from one end. Each happens exactly once and in order, so every result is known beforehand. */
    private void atomics(boolean active) throws IOException {
        int count = 20 * DEPTH;
        side.memory(0, Long.BYTES * (DEPTH + 1)).fill((byte) 0);
        side.meet();
        for (int done = 0; active && done < count; done += DEPTH) {
            for (int i = 0; i < DEPTH; i++) {
                boolean swap = (i & 1) != 0;
                long now = done + i;
                side.sends
                        .add(i, swap ? WorkRequestOpcode.ATOMIC_CMP_AND_SWP : WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
                        .entry(side.address(Long.BYTES * (i + 1L)), Long.BYTES, side.region.lkey())
                        .atomic(side.remote.address(), side.remote.rkey(), swap ? now : 1, now + 1)
                        .signaled();
            }
            side.post(side.sends);
            for (int i = 0; i < DEPTH; i++) {
                check(side.await().wrId(0) == i, "atomics complete in order");
                long before = side.memory(Long.BYTES * (i + 1L), Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
                check(before == done + i, "atomic found " + before + " instead of " + (done + i));
            }
        }
        side.meet();
        if (!active) {
            long last = side.memory(0, Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
            check(last == count, "the counter is " + last + " instead of " + count);
        }
        side.none();
        System.out.println(count + " atomics");
        side.meet();
    }

    /** Runs writes, each with an atomic write behind it, from one end, if both devices have it. */
    private void atomicWrites(boolean active) throws IOException {
        if (active ? !side.postsPlacement : !side.answersPlacement) {
            System.out.println("no ATOMIC WRITE this way");
            return;
        }
        int rounds = 100;
        RemoteMemory all = side.remote;
        side.memory(0, 2L * SLOT).fill((byte) 0);
        side.meet();
        for (int round = 1; active && round <= rounds; round++) {
            fill(0, SLOT, round);
            side.sends
                    .add(1, WorkRequestOpcode.RDMA_WRITE)
                    .entry(side.address(0), SLOT, side.region.lkey())
                    .remote(all.address(), all.rkey())
                    .signaled();
            side.sends
                    .add(2, WorkRequestOpcode.ATOMIC_WRITE)
                    .atomicWrite(all.address() + SLOT, all.rkey(), round)
                    .signaled();
            side.post(side.sends);
            for (int i = 1; i <= 2; i++) {
                check(side.await().wrId(0) == i, "requests complete in order");
            }
        }
        side.meet();
        if (!active) {
            compare(0, SLOT, rounds);
            long last = side.memory(SLOT, Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
            check(last == rounds, "the atomic write is " + last + " instead of " + rounds);
        }
        side.none();
        System.out.println(rounds + " atomic writes");
        side.meet();
    }

    /** One request of a round. Both ends derive it from the seed of the round. */
    private record Request(WorkRequestOpcode operation, int size, int seed) {}

    private static List<Request> requests(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Request> all = new ArrayList<>();
        for (int i = 0; i < DEPTH; i++) {
            int size = random.nextInt(4) == 0 ? random.nextInt(SLOT + 1) : random.nextInt(64);
            all.add(new Request(MOVES[random.nextInt(MOVES.length)], size, seed * DEPTH + i));
        }
        return all;
    }

    // In a round, the parts of the region are: the source of sends and writes, the target of receives, the target of
    // writes, the source of reads, the target of reads.
    private static long slot(int part, int index) {
        return ((long) part * DEPTH + index) * SLOT;
    }

    /**
     * Runs one round, in which both ends post at once. Sends arrive in order, and the memory of each request has the
     * expected content. Nothing else has changed.
     */
    private void together(int round) throws IOException {
        List<Request> local = requests(2 * round + (client ? 0 : 1));
        List<Request> remote = requests(2 * round + (client ? 1 : 0));
        side.memory(0, slot(5, 0)).fill((byte) 0);
        int receives = 0;
        for (int i = 0; i < DEPTH; i++) {
            if (local.get(i).operation != WorkRequestOpcode.RDMA_READ) {
                fill(slot(0, i), local.get(i).size, local.get(i).seed);
            }
            if (remote.get(i).operation == WorkRequestOpcode.RDMA_READ) {
                fill(slot(3, i), remote.get(i).size, remote.get(i).seed);
            }
            if (remote.get(i).operation.consumesReceive()) {
                side.receives.add(DEPTH + receives).entry(side.address(slot(1, receives)), SLOT, side.region.lkey());
                receives++;
            }
        }
        if (receives > 0) {
            side.post(side.receives);
        }
        side.meet();
        long start = System.nanoTime();
        for (int i = 0; i < DEPTH; i++) {
            postOne(i, local.get(i));
        }
        side.post(side.sends);
        int sent = 0;
        List<Request> arriving =
                remote.stream().filter(r -> r.operation.consumesReceive()).toList();
        int received = 0;
        while (sent < DEPTH || received < receives) {
            CompletionBatch completion = side.await();
            if (completion.wrId(0) < DEPTH) {
                check(completion.wrId(0) == sent++, "requests complete in order");
            } else {
                check(completion.wrId(0) == DEPTH + received, "receives complete in order");
                Request request = arriving.get(received++);
                int bytes = completion.byteLength(0);
                check(bytes == request.size, "received " + bytes + " bytes instead of " + request.size);
                check(!completion.hasImmediate(0) || completion.immediate(0) == ~request.seed, "immediate data");
            }
        }
        side.meet();
        System.out.printf("round %d: %.3f s%n", round, (System.nanoTime() - start) / 1e9);
        verify(local, remote);
        side.none();
        side.meet();
    }

    private void postOne(int index, Request request) {
        boolean read = request.operation == WorkRequestOpcode.RDMA_READ;
        side.sends
                .add(index, request.operation)
                .entry(side.address(slot(read ? 4 : 0, index)), request.size, side.region.lkey())
                .signaled();
        if (request.operation != WorkRequestOpcode.SEND && request.operation != WorkRequestOpcode.SEND_WITH_IMM) {
            side.sends.remote(side.remote.address() + slot(read ? 3 : 2, index), side.remote.rkey());
        }
        if (request.operation == WorkRequestOpcode.SEND_WITH_IMM
                || request.operation == WorkRequestOpcode.RDMA_WRITE_WITH_IMM) {
            side.sends.immediate(~request.seed);
        }
    }

    private void verify(List<Request> local, List<Request> remote) {
        int receive = 0;
        for (int i = 0; i < DEPTH; i++) {
            Request own = local.get(i);
            compareSlot(slot(4, i), own.operation == WorkRequestOpcode.RDMA_READ ? own : null);
            Request other = remote.get(i);
            boolean write = other.operation == WorkRequestOpcode.RDMA_WRITE
                    || other.operation == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
            compareSlot(slot(2, i), write ? other : null);
            if (other.operation.consumesReceive()) {
                compareSlot(slot(1, receive++), write ? null : other);
            }
        }
    }

    private void compareSlot(long offset, Request arrived) {
        int size = arrived == null ? 0 : arrived.size;
        if (arrived != null) {
            compare(offset, size, arrived.seed);
        }
        MemorySegment rest = side.memory(offset + size, SLOT - size);
        check(rest.mismatch(MemorySegment.ofArray(new byte[SLOT - size])) == -1, "the rest of a slot is untouched");
    }

    private static MemorySegment guard() {
        byte[] bytes = new byte[GUARD];
        java.util.Arrays.fill(bytes, GUARDED);
        return MemorySegment.ofArray(bytes);
    }

    /** Returns eight bytes that identify their message and their position in it. */
    private static long pattern(int seed, long at) {
        long mixed = at * 0x9e3779b97f4a7c15L + seed * 0xc2b2ae3d27d4eb4fL;
        return mixed ^ mixed >>> 29;
    }

    private void fill(long offset, int size, int seed) {
        MemorySegment to = side.memory(offset, size);
        long at = 0;
        for (; at + Long.BYTES <= size; at += Long.BYTES) {
            to.set(LITTLE_LONG, at, pattern(seed, at));
        }
        for (long last = pattern(seed, at); at < size; at++, last >>>= Byte.SIZE) {
            to.set(ValueLayout.JAVA_BYTE, at, (byte) last);
        }
    }

    private void compare(long offset, int size, int seed) {
        check(matches(offset, size, seed), "content of " + size + " bytes");
    }

    private boolean matches(long offset, int size, int seed) {
        MemorySegment in = side.memory(offset, size);
        long at = 0;
        for (; at + Long.BYTES <= size; at += Long.BYTES) {
            if (in.get(LITTLE_LONG, at) != pattern(seed, at)) {
                return false;
            }
        }
        for (long last = pattern(seed, at); at < size; at++, last >>>= Byte.SIZE) {
            if (in.get(ValueLayout.JAVA_BYTE, at) != (byte) last) {
                return false;
            }
        }
        return true;
    }
}
