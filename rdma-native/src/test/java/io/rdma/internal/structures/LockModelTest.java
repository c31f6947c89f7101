package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model of a lock. To {@code try} never waits, so it leaves a lock to its holder. To {@code acquire} waits until the
 * lease is over, which it is at once, so it takes the lock from its holder.
 */
@Tag("model")
class LockModelTest {
    private static final int CLIENTS = 2;

    /** Operations of the clients. The result of an acquisition is the token, 0 for none. */
    public static class Clients {
        private static final StructureHeader HEADER =
                new StructureHeader(StructureHeader.Kind.LOCKS, 1, Long.BYTES, InterleavedMemory.OVER_AT_ONCE, 0);
        private static final MemorySegment BEGINNING = InterleavedMemory.beginning(HEADER);

        private final InterleavedMemory memory = new InterleavedMemory(BEGINNING, InterleavedMemory.Order.ASCENDING);
        private final HeldLock[] held = new HeldLock[CLIENTS + 1]; // each used by one client
        private final InterleavedMemory.Client[] holders = new InterleavedMemory.Client[CLIENTS + 1];

        private String acquired(int client, InterleavedMemory.Client access, Object result) {
            if (!(result instanceof HeldLock lock)) {
                return result.toString();
            }
            held[client] = lock;
            holders[client] = access;
            return "token " + lock.token();
        }

        public String attempt(int client) {
            InterleavedMemory.Client access = memory.new Client();
            return acquired(
                    client,
                    access,
                    access.<HeldLock>run(outcome -> new LockClient(access, HEADER, client).tryAcquire(0, outcome)));
        }

        public String acquire(int client) {
            InterleavedMemory.Client access = memory.new Client();
            return acquired(
                    client,
                    access,
                    access.<HeldLock>run(outcome -> new LockClient(access, HEADER, client).acquire(0, outcome)));
        }

        public String renew(int client) {
            return held[client] == null
                    ? "never held"
                    : holders[client].<Boolean>run(held[client]::renew).toString();
        }

        public String release(int client) {
            return held[client] == null
                    ? "never held"
                    : holders[client].<Boolean>run(held[client]::release).toString();
        }
    }

    /** A lock whose operations are one step. */
    public static class Specification {
        private final long[] tokens = new long[CLIENTS + 1];
        private long token;
        private boolean isHeld;

        public String attempt(int client) {
            return isHeld ? "none" : acquire(client);
        }

        public String acquire(int client) {
            isHeld = true;
            tokens[client] = ++token;
            return "token " + token;
        }

        private boolean holds(int client) {
            return isHeld && tokens[client] == token;
        }

        public String renew(int client) {
            return tokens[client] == 0 ? "never held" : Boolean.toString(holds(client));
        }

        public String release(int client) {
            boolean holds = holds(client);
            isHeld &= !holds;
            return tokens[client] == 0 ? "never held" : Boolean.toString(holds);
        }
    }

    @Test
    void oneClientHoldsTheLock() {
        new StructureModel(Clients.class, Specification.class)
                .check(30, "attempt, release, attempt", "attempt, renew, release");
    }

    @Test
    void aHolderThatLostTheLockLeavesItToTheNextOne() {
        new StructureModel(Clients.class, Specification.class)
                .check(60, "acquire, renew, release", "acquire, release, attempt");
    }
}
