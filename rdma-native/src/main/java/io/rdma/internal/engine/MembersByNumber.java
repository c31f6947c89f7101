package io.rdma.internal.engine;

import org.jspecify.annotations.Nullable;

// Invariants
// - Changes are made under the monitor. Each ends by a write of `table`, so the loop looks a number up without a lock.
// - An entry that was removed keeps its number and has no member. So an entry never moves within a table, and a look-up
// beside a change finds every other one. Those entries are left out when a new table replaces one that is half full.

/** The connections that share a ring, by the number of their queue pair. Joining and leaving mostly copy nothing. */
final class MembersByNumber<T> {
    private static final int FEWEST = 16;
    private static final int USED = 1 << 31; // numbers have 24 bits

    private record Table(int[] keys, @Nullable Object[] members) {
        Table(int size) {
            this(new int[size], new @Nullable Object[size]);
        }

        /** Returns the place of a number, or the free place in which a probe for it ends. */
        int place(int key) {
            int mask = keys.length - 1;
            int hash = key * 0x9e3779b9;
            int place = (hash ^ hash >>> 15) & mask;
            while (keys[place] != 0 && keys[place] != key) {
                place = place + 1 & mask;
            }
            return place;
        }
    }

    private volatile Table table = new Table(FEWEST);
    private int size; // guarded by this
    private int places; // guarded by this: those in use, also by entries that were removed

    /** Adds a member in place of another one with the same number. */
    synchronized void add(int number, T member) {
        Table now = table;
        if (2 * places >= now.keys.length) {
            now = withoutRemoved(now);
        }
        int key = number | USED;
        int place = now.place(key);
        places += now.keys[place] == 0 ? 1 : 0;
        size += now.members[place] == null ? 1 : 0;
        now.members[place] = member;
        now.keys[place] = key;
        table = now;
    }

    private Table withoutRemoved(Table full) {
        int length = FEWEST;
        while (length < 4 * (size + 1)) {
            length *= 2;
        }
        Table next = new Table(length);
        for (int i = 0; i < full.keys.length; i++) {
            if (full.members[i] != null) {
                int place = next.place(full.keys[i]);
                next.keys[place] = full.keys[i];
                next.members[place] = full.members[i];
            }
        }
        places = size;
        return next;
    }

    /** Removes a member. Does nothing if its number belongs to another one by now. */
    synchronized void remove(int number, T member) {
        Table now = table;
        int place = now.place(number | USED);
        if (now.members[place] == member) {
            now.members[place] = null;
            size--;
            table = now;
        }
    }

    /** Returns the member of a number; null if there is none. Any thread. */
    @SuppressWarnings("unchecked") // add() takes no other objects
    @Nullable
    T find(int number) {
        Table now = table;
        return (T) now.members[now.place(number | USED)];
    }
}
