package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants
// - The members are posted operations. They end with this one, once each, in the order of their messages.
// - The buffer is leased from the time when the first member is added until the last one has ended. The poster has this
// object before its post and after the lease, the thread that ends it in between.

/** One SEND of a batch whose messages are those of several operations. */
final class SharedSend extends Operation {
    /** Ends an operation that is marked as ended, after a full fence. Does not throw. */
    @FunctionalInterface
    interface End {
        void of(Operation operation, @Nullable RuntimeException error);
    }

    private static final int FIRST_MEMBERS = 8;

    private final RegisteredBuffer buffer;
    private final End end;
    private @Nullable Operation[] members = new @Nullable Operation[FIRST_MEMBERS];
    private int count;

    /**
     * Creates a SEND without members.
     *
     * @param buffer exclusive lease, as are all later ones of this object
     */
    SharedSend(RegisteredBuffer buffer, End end) {
        super(WorkRequest.send(buffer, false));
        this.buffer = buffer;
        this.end = end;
    }

    /** Returns whether another member can be added. */
    boolean hasRoom() {
        if (count == members.length) {
            try {
                members = Arrays.copyOf(members, 2 * count);
            } catch (OutOfMemoryError e) { // the others have a SEND of their own
                return false;
            }
        }
        return true;
    }

    /** Adds a member whose bytes are in the buffer, and for which there is room. */
    void add(Operation member) {
        members[count++] = member;
    }

    /** Takes the only member out, which is posted by itself instead, and ends the lease. */
    void dissolve() {
        members[0] = null;
        count = 0;
        buffer.close();
    }

    @Override
    int messages() {
        return count;
    }

    @Override
    protected void completed(long value) {
        endMembers(null);
    }

    @Override
    protected void failed(RuntimeException error) {
        endMembers(error);
    }

    private void endMembers(@Nullable RuntimeException error) {
        int ended = count;
        for (int i = 0; i < ended; i++) {
            member(i).ending();
        }
        VarHandle.fullFence();
        for (int i = 0; i < ended; i++) {
            end.of(member(i), error);
        }
        Arrays.fill(members, 0, ended, null);
        count = 0;
        buffer.close();
    }

    private Operation member(int index) {
        return Objects.requireNonNull(members[index]);
    }
}
