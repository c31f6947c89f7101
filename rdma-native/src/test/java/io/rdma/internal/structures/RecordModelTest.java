package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.VersionedValue;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Model of a record that clients get, put, and put if its version is as expected. */
@Tag("model")
class RecordModelTest {
    private static final long FIRST = 31; // the next put carries from one part of the word into the other

    /** Operations of the clients. A value is a number that fills two steps of a READ. */
    public abstract static class Clients {
        private static final StructureHeader PATIENT = header(InterleavedMemory.NEVER_OVER);
        private static final StructureHeader TAKING_OVER = header(InterleavedMemory.OVER_AT_ONCE);
        private static final MemorySegment BEGINNING = InterleavedMemory.beginning(PATIENT, FIRST, content(9));

        private final StructureHeader header;
        private final InterleavedMemory memory;

        Clients(InterleavedMemory.Order order, boolean takeOver) {
            header = takeOver ? TAKING_OVER : PATIENT;
            memory = new InterleavedMemory(BEGINNING, order);
        }

        private static StructureHeader header(Duration lease) {
            return new StructureHeader(StructureHeader.Kind.RECORDS, 1, 2 * Long.BYTES, lease, 0);
        }

        private static byte[] content(int value) {
            byte[] bytes = new byte[2 * Long.BYTES];
            MemorySegment.ofArray(bytes).fill((byte) value);
            return bytes;
        }

        private RecordClient record(InterleavedMemory.Client access, int client) {
            return new RecordClient(access, header, client);
        }

        public String get(int client) {
            InterleavedMemory.Client access = memory.new Client();
            Object result =
                    access.<VersionedValue>run(outcome -> record(access, client).get(0, outcome));
            if (!(result instanceof VersionedValue found)) {
                return result.toString();
            }
            byte[] value = found.value();
            return found.version() + ": " + value[0] + (value[0] == value[value.length - 1] ? "" : ", torn");
        }

        public String put(int client, int value) {
            InterleavedMemory.Client access = memory.new Client();
            return access.<Long>run(outcome -> record(access, client).put(0, content(value), outcome))
                    .toString();
        }

        public String replace(int client, int value, int expected) {
            InterleavedMemory.Client access = memory.new Client();
            Object result =
                    access.<Long>run(outcome -> record(access, client).put(0, content(value), expected, outcome));
            return result instanceof StructureException refusal && refusal.reason() == Reason.CONFLICT
                    ? "conflict with " + refusal.version()
                    : result.toString();
        }
    }

    /** A record whose operations are one step. */
    public static class Specification {
        private long version = FIRST;
        private int value = 9;

        public String get(int client) {
            return version + ": " + value;
        }

        public String put(int client, int next) {
            value = next;
            return Long.toString(++version);
        }

        public String replace(int client, int next, int expected) {
            return version == expected ? put(client, next) : "conflict with " + version;
        }
    }

    public static class Waiting extends Clients {
        public Waiting() {
            super(InterleavedMemory.Order.ASCENDING, false);
        }
    }

    public static class WaitingBackwards extends Clients {
        public WaitingBackwards() {
            super(InterleavedMemory.Order.DESCENDING, false);
        }
    }

    public static class TakingOver extends Clients {
        public TakingOver() {
            super(InterleavedMemory.Order.ASCENDING, true);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Waiting.class, WaitingBackwards.class})
    void aGetFindsOnePutAsAWhole(Class<? extends Clients> clients) {
        new StructureModel(clients, Specification.class).check(60, "put 1, put 2, put 3", "get, get");
    }

    @Test
    void putsTakeTurns() {
        new StructureModel(Waiting.class, Specification.class).check(120, "put 1, get", "put 2, replace 3 32");
    }

    @Test
    void aWriterThatComesBackLateDestroysNothing() {
        new StructureModel(TakingOver.class, Specification.class).check(150, "put 1", "put 2, get");
    }
}
