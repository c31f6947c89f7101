package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// The payloads are written by hand from docs/internals/protocol.md, "Small messages".

/** Reading of batches from a peer: a payload that is not valid is found before any of it is used. */
class BatchLayoutTest {
    /** Three messages: "abc", nothing, and nine bytes. They begin at 0, 8 and 8, and the table at 20. */
    private static final byte[] VALID = ByteBuffer.allocate(32)
            .put("abc".getBytes())
            .put(8, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9})
            .putInt(20, 3)
            .putInt(24, 0)
            .putInt(28, 9)
            .array();

    private static boolean isValid(byte[] payload, int bytes, int messages) {
        return BatchLayout.isValid(MemorySegment.ofArray(payload), bytes, messages);
    }

    @Test
    void batchWrittenByHandIsRead() {
        MemorySegment memory = MemorySegment.ofArray(VALID);
        assertThat(BatchLayout.isValid(memory, 32, 3)).isTrue();
        assertThat(BatchLayout.length(memory, 32, 3, 0)).isEqualTo(3);
        assertThat(BatchLayout.length(memory, 32, 3, 1)).isZero();
        assertThat(BatchLayout.length(memory, 32, 3, 2)).isEqualTo(9);
        assertThat(BatchLayout.next(3)).isEqualTo(8);
        assertThat(BatchLayout.next(8)).isEqualTo(8);
        assertThat(BatchLayout.bytes(17, 3)).isEqualTo(32);
    }

    @ParameterizedTest(name = "entry {0} is {1}")
    @CsvSource({"0, 4", "0, 8", "0, -1", "0, 2147483647", "1, 1", "1, -8", "2, 8", "2, 12", "2, 13", "2, -2147483648"})
    void tableThatDoesNotFitItsMessagesIsNotValid(int entry, int length) {
        byte[] payload =
                ByteBuffer.wrap(VALID.clone()).putInt(20 + 4 * entry, length).array();
        // A length within the padding behind its message leaves the layout as it is.
        boolean sameLayout = entry == 0 && length <= 8 && length > 0 || entry == 2 && length == 12;
        assertThat(isValid(payload, 32, 3)).isEqualTo(sameLayout);
    }

    @ParameterizedTest(name = "{1} messages in {0} bytes")
    @CsvSource({
        "32, 0",
        "32, 1",
        "32, 2",
        "32, 4",
        "32, 8",
        "32, 9",
        "32, 65535",
        "31, 3",
        "28, 3",
        "0, 0",
        "0, 1",
        "3, 1"
    })
    void wrongNumberOrLengthIsNotValid(int bytes, int messages) {
        assertThat(isValid(VALID, bytes, messages)).isFalse();
    }

    /** Random payloads. In a valid one every message lies before the table, and behind the message before. */
    @Test
    void nothingOutsideThePayloadIsEverReached() {
        Random random = new Random(7);
        int valid = 0;
        for (int round = 0; round < 200_000; round++) {
            int messages = random.nextInt(4);
            int bytes = 4 * random.nextInt(12);
            ByteBuffer payload = ByteBuffer.allocate(44);
            for (int i = 0; i < messages && bytes >= 4 * messages; i++) {
                payload.putInt(bytes - 4 * (messages - i), random.nextInt(-2, 20));
            }
            if (isValid(payload.array(), bytes, messages)) {
                valid++;
                int end = 0;
                for (int i = 0; i < messages; i++) {
                    int start = BatchLayout.next(end);
                    end = start + BatchLayout.length(MemorySegment.ofArray(payload.array()), bytes, messages, i);
                    assertThat(end).isBetween(start, bytes - 4 * messages);
                }
            }
        }
        assertThat(valid).isGreaterThan(1_000);
    }
}
