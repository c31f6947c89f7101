package io.rdma.samples.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Model of a ring: its entries arrive whole, once, in their order, and all whose send has succeeded. */
final class RingModel {
    private final Complaints complaints;
    private final List<Entry> entries = new ArrayList<>();
    private int next; // index of the first entry that may arrive

    RingModel(String name, Consumer<String> wrong) {
        complaints = new Complaints(name, wrong);
    }

    /** An entry. */
    static final class Entry {
        private final int number;
        private final int length;
        private boolean sent;
        private boolean received;

        private Entry(int number, int length) {
            this.number = number;
            this.length = length;
        }
    }

    /** Notes that a send begins. */
    Entry begins(int number, int length) {
        Entry entry = new Entry(number, length);
        entries.add(entry);
        return entry;
    }

    /** Notes a send that succeeded. */
    void sent(Entry entry) {
        entry.sent = true;
        complaints.check(entry.received || entries.indexOf(entry) >= next, "entry " + entry.number + " was left out");
    }

    /** Notes an entry that was received. */
    void received(byte[] bytes) {
        int number = StructureValue.number(bytes);
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.number == number) {
                complaints.check(entry.length == bytes.length, "entry " + number + " has another length");
                complaints.check(!entry.received, "entry " + number + " a second time");
                complaints.check(i >= next, "entry " + number + " behind a later one");
                entries.subList(Math.min(next, i), i)
                        .forEach(left -> complaints.check(!left.sent, "entry " + left.number + " was left out"));
                entry.received = true;
                next = Math.max(next, i + 1);
                return;
            }
        }
        complaints.check(false, "an entry that was not sent, or not a whole one");
    }

    /** Checks that nothing is missing when the last entry has been received. */
    void ended() {
        entries.forEach(entry -> complaints.check(
                !entry.sent || entry.received, "entry " + entry.number + " was sent and never received"));
    }
}
