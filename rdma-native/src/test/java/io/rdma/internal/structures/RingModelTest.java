package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Model of a ring that has room for two entries. A look of the consumer at an entry is one step, and so is each change
 * that it makes.
 */
@Tag("model")
class RingModelTest {
    /** Operations of the producer and of the consumer. An entry is a number that fills several steps of a WRITE. */
    public abstract static class Ends {
        private static final int CAPACITY = 64;
        private static final int ENTRY = 16;
        private static final StructureHeader HEADER =
                new StructureHeader(StructureHeader.Kind.RING, CAPACITY, 1, InterleavedMemory.NEVER_OVER, 0);
        private static final MemorySegment BEGINNING = InterleavedMemory.beginning(HEADER);

        private final InterleavedMemory.Client producer;
        private final RingClient ring;
        private final RingConsumer consumer;

        Ends(InterleavedMemory.Order order) {
            InterleavedMemory memory = new InterleavedMemory(BEGINNING, order);
            producer = memory.new Client();
            ring = new RingClient(producer, HEADER);
            consumer = new RingConsumer(memory.memory, HEADER.ring());
        }

        public String send(int client, int number) {
            byte[] entry = new byte[ENTRY];
            MemorySegment.ofArray(entry).fill((byte) number);
            return producer.<Boolean>runUnlessItWaits(outcome -> ring.send(entry, outcome)) ? "sent" : "full";
        }

        public String poll(int client) {
            byte[] entry = consumer.peek();
            if (entry == null) {
                return "none";
            }
            consumer.take(entry);
            return entry[0] + (entry[0] == entry[ENTRY - 1] ? "" : ", torn");
        }
    }

    public static class Forwards extends Ends {
        public Forwards() {
            super(InterleavedMemory.Order.ASCENDING);
        }
    }

    public static class Backwards extends Ends {
        public Backwards() {
            super(InterleavedMemory.Order.DESCENDING);
        }
    }

    /** A ring that is full in the beginning. */
    public static class Full extends Forwards {
        public Full() {
            send(1, 1);
            send(1, 2);
        }
    }

    /** A queue with room for two entries, whose operations are one step. */
    public static class Specification {
        private final Queue<String> entries = new ArrayDeque<>();

        public String send(int client, int number) {
            return entries.size() < 2 && entries.add(Integer.toString(number)) ? "sent" : "full";
        }

        public String poll(int client) {
            return entries.isEmpty() ? "none" : entries.remove();
        }
    }

    /** A queue that is full in the beginning. */
    public static class FullSpecification extends Specification {
        public FullSpecification() {
            send(1, 1);
            send(1, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Forwards.class, Backwards.class})
    void anEntryIsFoundAsAWhole(Class<? extends Ends> ends) {
        new StructureModel(ends, Specification.class).check(20, "send 1, send 2", "poll, poll");
    }

    @Test
    void noEntryIsClearedThatWasNotTaken() {
        new StructureModel(Full.class, FullSpecification.class).check(40, "send 3, send 4", "poll, poll, poll");
    }
}
