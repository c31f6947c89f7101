package io.rdma.samples.simulation.world;

import io.rdma.structures.VersionedValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Versions are the order in which the changes took place. So a history is right if this order is that of time: an
// operation finds no version that is less than one that was known when it began. What is not known, such as whether a
// put whose connection was lost has happened, is right either way.

/** Model of the versions of one record, or of one key of a table. */
final class VersionModel {
    private final boolean isKey;
    private final Complaints complaints;
    private final Map<Integer, Change> puts = new HashMap<>(); // all that have begun, by number
    private final Map<Long, Change> versions = new HashMap<>(); // those whose version is known
    private final List<Change> removals = new ArrayList<>();
    private long clock;
    private long newest; // of the versions that ended operations have seen
    private long gone; // the newest version that was removed or replaced for certain, of a key

    /**
     * @param isKey whether it is of a key, so that its versions are those of a bucket, and it may be removed
     * @param wrong takes what is wrong
     */
    VersionModel(String name, boolean isKey, Consumer<String> wrong) {
        this.isKey = isKey;
        complaints = new Complaints(name, wrong);
    }

    /** What was known when an operation began. */
    record Begin(long clock, long newest, long gone) {}

    /** A put or a removal. */
    static final class Change {
        final int number;
        final int length;
        final @Nullable Long expected;
        final Begin begin;
        private long end = Long.MAX_VALUE;
        private boolean refused;
        private long version; // 0 as long as it is not known

        private Change(int number, int length, @Nullable Long expected, Begin begin) {
            this.number = number;
            this.length = length;
            this.expected = expected;
            this.begin = begin;
        }
    }

    /** Notes that an operation begins that changes nothing. */
    Begin begins() {
        return new Begin(++clock, newest, gone);
    }

    /**
     * Notes that a put begins.
     *
     * @param number which no other put of the run has
     * @param expected version that it replaces; 0 for no value; null for any
     */
    Change putBegins(int number, int length, @Nullable Long expected) {
        Change put = new Change(number, length, expected, begins());
        puts.put(number, put);
        return put;
    }

    /** Notes that a removal begins. */
    Change removalBegins(@Nullable Long expected) {
        Change removal = new Change(0, 0, expected, begins());
        removals.add(removal);
        return removal;
    }

    /** Notes a put that succeeded. */
    void put(Change put, long version) {
        put.end = ++clock;
        Long expected = put.expected;
        if (expected != null) {
            complaints.check(version > expected, "a put of version " + version + " in place of " + expected);
            if (!isKey) {
                complaints.check(version == expected + 1, "version " + version + " was put in place of " + expected);
            } else if (expected == 0) {
                checkAbsent(put.begin, "put as new");
            } else {
                found(put.begin, expected, "replaced");
            }
        }
        is(put, version);
        newest = Math.max(newest, version);
    }

    /** Notes a change that was refused, so that it never happens. */
    void refused(Change change) {
        change.end = ++clock;
        change.refused = true;
        complaints.check(
                change.version == 0, "put " + change.number + " was refused, and is version " + change.version);
    }

    /** Notes a change that met another version than the expected one. */
    void conflicted(Change change, long version) {
        complaints.check(change.expected != null && version != change.expected, "a conflict with version " + version);
        refused(change);
        seen(change.begin, version, "conflict");
    }

    /** Notes the end of a get. */
    void got(Begin begin, @Nullable VersionedValue value) {
        clock++;
        if (value != null) {
            int number = StructureValue.number(value.value());
            Change put = puts.get(number);
            if (put == null) {
                complaints.check(false, "version " + value.version() + " is no value that was put, or not a whole one");
            } else {
                complaints.check(
                        put.length == value.value().length, "the value of put " + number + " has another length");
                is(put, value.version());
            }
        }
        seen(begin, value == null ? 0 : value.version(), "get");
    }

    /** Notes a removal that ended: whether there was a value. */
    void removed(Change removal, boolean was) {
        removal.end = ++clock;
        if (!was) {
            removal.refused = true;
            complaints.check(removal.expected == null, "a removal of a version found none");
            seen(removal.begin, 0, "removal");
            return;
        }
        long removed = removal.begin.newest;
        if (removal.expected != null) {
            removed = removal.expected;
            found(removal.begin, removed, "removed");
        }
        gone = Math.max(gone, removed);
    }

    private void seen(Begin begin, long version, String by) {
        if (version == 0) {
            checkAbsent(begin, by);
            gone = Math.max(gone, begin.newest);
        } else {
            found(begin, version, by);
            newest = Math.max(newest, version);
        }
    }

    /** Checks that a version was there at some moment after a begin. */
    private void found(Begin begin, long version, String by) {
        complaints.check(version >= begin.newest, by + ": version " + version + " after version " + begin.newest);
        complaints.check(version > begin.gone, by + ": version " + version + ", which was removed");
        complaints.check(
                isKey || version <= puts.size(), by + ": version " + version + " after " + puts.size() + " puts");
    }

    /** Checks that there was no value at some moment after a begin. */
    private void checkAbsent(Begin begin, String by) {
        Change last = versions.get(begin.newest);
        boolean right = begin.newest <= begin.gone
                || removals.stream()
                        .anyMatch(removal -> !removal.refused
                                && (removal.expected == null || removal.expected >= begin.newest)
                                && (last == null || removal.end > last.begin.clock));
        complaints.check(right, by + ": no value, after version " + begin.newest);
    }

    /** Notes the version of a put. */
    private void is(Change put, long version) {
        complaints.check(!put.refused, "put " + put.number + " was refused, and is version " + version);
        complaints.check(put.version == 0 || put.version == version, "put " + put.number + " is two versions");
        complaints.check(
                version > put.begin.newest,
                "put " + put.number + " is version " + version + ", which is not newer than " + put.begin.newest);
        put.version = version;
        Change other = versions.putIfAbsent(version, put);
        complaints.check(other == null || other == put, "two puts are version " + version);
        if (isKey && other == null) {
            versions.values().forEach(this::checkReplaced);
        }
    }

    /** Checks that a put replaced the version that it expected, and no later one. */
    private void checkReplaced(Change put) {
        Long expected = put.expected;
        if (expected != null && expected > 0) {
            complaints.check(
                    versions.keySet().stream().noneMatch(between -> expected < between && between < put.version),
                    "a put replaced version " + expected + ", which was not the last");
        }
    }
}
