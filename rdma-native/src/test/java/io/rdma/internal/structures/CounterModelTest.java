package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Model of a counter. */
@Tag("model")
class CounterModelTest {
    private static final long FIRST = (1L << 32) - 2; // two additions carry from one half into the other

    /** Operations of the clients. */
    public static class Clients {
        private static final StructureHeader HEADER =
                new StructureHeader(StructureHeader.Kind.COUNTERS, 1, Long.BYTES, InterleavedMemory.NEVER_OVER, 0);
        private static final MemorySegment BEGINNING = InterleavedMemory.beginning(HEADER);

        static {
            BEGINNING.set(ValueLayout.JAVA_LONG, HEADER.wordOffset(0), FIRST);
        }

        private final InterleavedMemory memory = new InterleavedMemory(BEGINNING, InterleavedMemory.Order.ASCENDING);

        public String add(int client, int addend) {
            InterleavedMemory.Client access = memory.new Client();
            return access.<Long>run(outcome -> new CounterClient(access, HEADER).add(0, addend, outcome))
                    .toString();
        }
    }

    /** A counter whose operations are one step. */
    public static class Specification {
        private long value = FIRST;

        public String add(int client, int addend) {
            value += addend;
            return Long.toString(value);
        }
    }

    @Test
    void noAdditionIsLost() {
        new StructureModel(Clients.class, Specification.class).check(25, "add 1, add 0", "add 1, add 1");
    }
}
