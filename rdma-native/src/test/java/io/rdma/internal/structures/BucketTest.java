package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The codec of the entries of a bucket. */
class BucketTest {
    private static final int ENTRY = TableOptions.ENTRY_BYTES + 2; // with a key and a value of one byte each

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void entriesArePutReplacedAndRemoved() {
        Bucket bucket = new Bucket(null);
        bucket.put(bytes("a"), bytes("1"), 1, 100, false);
        bucket.put(bytes("b"), bytes("22"), 2, 100, false);
        bucket.put(bytes("a"), bytes("333"), 3, 100, false);
        Bucket copy = new Bucket(bucket.encode());
        assertThat(copy.get(bytes("a"))).isEqualTo(new VersionedValue(3, bytes("333")));
        assertThat(copy.version(bytes("b"))).isEqualTo(2);
        assertThat(copy.get(bytes("c"))).isNull();
        assertThat(copy.remove(bytes("a"))).isTrue();
        assertThat(copy.remove(bytes("a"))).isFalse();
        assertThat(new Bucket(copy.encode()).version(bytes("a"))).isZero();
    }

    @Test
    void aFullBucketRefusesOrDisplacesTheOldest() {
        Bucket bucket = new Bucket(null);
        bucket.put(bytes("a"), bytes("1"), 1, 2 * ENTRY, false);
        bucket.put(bytes("b"), bytes("1"), 2, 2 * ENTRY, false);
        bucket.put(bytes("a"), bytes("2"), 3, 2 * ENTRY, false); // replaces, so it fits
        assertThatThrownBy(() -> bucket.put(bytes("c"), bytes("1"), 4, 2 * ENTRY, false))
                .isInstanceOfSatisfying(
                        StructureException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FULL));
        bucket.put(bytes("c"), bytes("1"), 4, 2 * ENTRY, true);
        assertThat(bucket.version(bytes("b"))).isZero();
        assertThat(bucket.version(bytes("a"))).isEqualTo(3);
        assertThat(bucket.version(bytes("c"))).isEqualTo(4);
    }

    @Test
    void theOldestEntriesAreDisplacedAlthoughVersionsBeganAgain() {
        Bucket bucket = new Bucket(null);
        bucket.put(bytes("a"), bytes("1"), RecordWord.MAX_VERSION, 2 * ENTRY, true);
        bucket.put(bytes("b"), bytes("1"), 1, 2 * ENTRY, true);
        bucket.put(bytes("c"), bytes("1"), 2, 2 * ENTRY, true);
        assertThat(bucket.version(bytes("a"))).isZero();
        assertThat(bucket.version(bytes("b"))).isOne();
    }

    /** Would take minutes if each entry that is displaced were looked for among all. */
    @Test
    @Timeout(60)
    void manyEntriesAreDisplacedAtOnce() {
        int count = 150_000;
        int entry = TableOptions.ENTRY_BYTES + Integer.BYTES;
        ByteBuffer full = ByteBuffer.allocate(count * entry).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            full.putLong(i + 1).putShort((short) Integer.BYTES).putInt(0).putInt(i);
        }
        Bucket bucket = new Bucket(full.array());
        bucket.put(bytes("k"), new byte[full.capacity() - ENTRY], count + 1, full.capacity(), true);
        assertThat(bucket.version(bytes("k"))).isEqualTo(count + 1);
        assertThat(bucket.encode()).hasSize(full.capacity() - 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 13, 14, 15})
    void aBucketThatEndsEarlyIsCorrupt(int length) {
        Bucket bucket = new Bucket(null);
        bucket.put(bytes("a"), bytes("1"), 1, 100, false);
        byte[] cut = Arrays.copyOf(bucket.encode(), length);
        assertThatThrownBy(() -> new Bucket(cut))
                .isInstanceOfSatisfying(
                        StructureException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }

    @Test
    void aNegativeLengthIsCorrupt() {
        Bucket bucket = new Bucket(null);
        bucket.put(bytes("a"), bytes("1"), 1, 100, false);
        byte[] damaged = bucket.encode();
        damaged[13] = (byte) 0x80; // the sign of the value's length
        assertThatThrownBy(() -> new Bucket(damaged)).isInstanceOf(StructureException.class);
    }
}
