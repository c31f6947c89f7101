package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.TableOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The header of a structure: what a client that opens the memory checks. */
class StructureHeaderTest {
    private final StructureHeader header =
            StructureHeader.of(StructureHeader.Kind.TABLE, RecordOptions.of(3, 100), StructureHeader.DISPLACING);
    private final MemorySegment memory = Arena.ofAuto().allocate(StructureHeader.BYTES);

    private void seal() {
        CRC32C sum = new CRC32C();
        sum.update(memory.asSlice(0, 60).asByteBuffer());
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, 60, (int) sum.getValue());
    }

    private void isRefused(String remedy) {
        assertThatThrownBy(() -> StructureHeader.decode(memory, StructureHeader.Kind.TABLE, header.end()))
                .isInstanceOfSatisfying(
                        StructureException.class, e -> assertThat(e.reason()).isEqualTo(Reason.OTHER_LAYOUT))
                .hasMessageContaining(remedy);
    }

    @Test
    void aHeaderIsReadAsItWasWritten() {
        header.encode(memory);
        assertThat(new String(memory.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII))
                .isEqualTo("RDSTRUCT");
        assertThat(StructureHeader.decode(memory, StructureHeader.Kind.TABLE, header.end()))
                .isEqualTo(header);
    }

    @ParameterizedTest
    @CsvSource({"1, 80", "8, 80", "9, 104", "2000, 6056", "16777216, 50331704"})
    void theOptionsSayHowManyBytesAReadHas(int capacity, int bytes) {
        RecordOptions records = RecordOptions.of(3, capacity);
        assertThat(records.readBytes()).isEqualTo(bytes);
        assertThat(StructureHeader.of(StructureHeader.Kind.RECORDS, records, 0).largestRequest())
                .isEqualTo(bytes);
        assertThat(TableOptions.of(3, capacity).readBytes()).isEqualTo(bytes);
    }

    @Test
    void memoryOfNoStructureIsRefused() {
        isRefused("pass on the location of a structure");
    }

    @Test
    void memoryOfAnotherKindIsRefused() {
        StructureHeader.of(StructureHeader.Kind.RECORDS, RecordOptions.of(3, 100), 0)
                .encode(memory);
        isRefused("it holds RECORDS, not TABLE");
    }

    @Test
    void memoryOfAnotherByteOrderIsRefused() {
        header.encode(memory);
        memory.set(ValueLayout.JAVA_LONG, 8, Long.reverseBytes(memory.get(ValueLayout.JAVA_LONG, 8)));
        isRefused("byte order");
    }

    @Test
    void aLocationThatIsTooShortIsRefused() {
        header.encode(memory);
        assertThatThrownBy(() -> StructureHeader.decode(memory, StructureHeader.Kind.TABLE, header.end() - 1))
                .hasMessageContaining("pass on the location that admit() returned");
    }

    @ParameterizedTest
    @CsvSource({
        "16, 2, use the same version of the library",
        "20, 77, it holds kind 77",
        "20, -1, it holds kind -1",
        "24, 0, out of range",
        "24, -1, out of range",
        "24, 2147483647, its elements need",
        "28, 0, out of range",
        "28, -1, out of range",
        "28, 2147483647, out of range",
        "36, -1, out of range"
    })
    void aHeaderOutOfRangeIsRefused(int offset, int value, String remedy) {
        header.encode(memory);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, offset, value);
        seal();
        isRefused(remedy);
    }

    @Test
    void aHeaderThatWasOverwrittenIsRefused() {
        header.encode(memory);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, 44, 1);
        isRefused("a client has overwritten it");
    }
}
