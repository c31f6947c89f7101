package io.rdma.internal.structures;

import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Model of a table whose keys are all in one bucket. */
@Tag("model")
class TableModelTest {
    private static final int FIRST = 9;

    /** Operations of the clients. Keys and values are numbers of a byte. */
    public static class Clients {
        private static final int KEYS = 2;
        private static final StructureHeader HEADER = new StructureHeader(
                StructureHeader.Kind.TABLE, 1, KEYS * (TableOptions.ENTRY_BYTES + 2), InterleavedMemory.NEVER_OVER, 0);
        private static final MemorySegment BEGINNING = InterleavedMemory.beginning(HEADER, 1, bucket());

        private final InterleavedMemory memory = new InterleavedMemory(BEGINNING, InterleavedMemory.Order.DESCENDING);

        private <T> Object run(
                int client, BiFunction<TableClient, StructureCall.Outcome<T>, StructureCall<? extends T>> operation) {
            InterleavedMemory.Client access = memory.new Client();
            return access.<T>run(outcome -> operation.apply(new TableClient(access, HEADER, client), outcome));
        }

        private static byte[] bucket() {
            Bucket bucket = new Bucket(null);
            bucket.put(bytes(1), bytes(FIRST), 1, HEADER.capacity(), false);
            return bucket.encode();
        }

        private static byte[] bytes(int number) {
            return new byte[] {(byte) number};
        }

        public String get(int client, int key) {
            Object result = this.<VersionedValue>run(client, (table, outcome) -> table.get(bytes(key), outcome));
            return result instanceof VersionedValue found
                    ? found.version() + ": " + found.value()[0]
                    : result.toString();
        }

        public String put(int client, int key, int value) {
            return this.<Long>run(client, (table, outcome) -> table.put(bytes(key), bytes(value), outcome))
                    .toString();
        }

        public String remove(int client, int key) {
            return this.<Long>run(client, (table, outcome) -> table.remove(bytes(key), null, outcome))
                    .toString();
        }
    }

    /** A table whose operations are one step. A version is that of the bucket. */
    public static class Specification {
        private final Map<Integer, String> found = new HashMap<>(Map.of(1, "1: " + FIRST));
        private long version = 1;

        public String get(int client, int key) {
            return found.getOrDefault(key, "none");
        }

        public String put(int client, int key, int value) {
            found.put(key, ++version + ": " + value);
            return Long.toString(version);
        }

        public String remove(int client, int key) {
            return found.remove(key) == null ? "none" : Objects.toString(++version);
        }
    }

    @Test
    void keysOfABucketDoNotLoseEachOther() {
        new StructureModel(Clients.class, Specification.class).check(40, "put 1 5, get 2", "put 2 6, remove 1");
    }
}
