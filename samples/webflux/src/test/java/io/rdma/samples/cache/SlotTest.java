package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a reader makes of a slot, torn at every byte and full of anything. */
class SlotTest {
    private static final byte[] KEY = Slot.bytes("key");

    private static MemorySegment slot(long version, String value) {
        MemorySegment slot = Arena.ofAuto().allocate(Slot.BYTES, 8);
        Slot.encode(slot.asSlice(Slot.BODY), version, KEY, Slot.bytes(value));
        slot.set(ValueLayout.JAVA_LONG, 0, Slot.free(version));
        return slot;
    }

    @Test
    void aValueIsFoundUnderItsKeyOnly() {
        MemorySegment slot = slot(3, "value");
        assertThat(Slot.decode(slot, KEY)).isInstanceOfSatisfying(Slot.Content.Found.class, found -> {
            assertThat(found.version()).isEqualTo(3);
            assertThat(found.value()).isEqualTo(Slot.bytes("value"));
        });
        assertThat(Slot.decode(slot, Slot.bytes("kez"))).isInstanceOf(Slot.Content.Missing.class);
        assertThat(Slot.decode(Arena.ofAuto().allocate(Slot.BYTES, 8), KEY)).isInstanceOf(Slot.Content.Missing.class);
        slot.set(ValueLayout.JAVA_LONG, 0, Slot.free(3) | 17);
        assertThat(Slot.decode(slot, KEY)).isInstanceOf(Slot.Content.Torn.class);
    }

    @Test
    void noMixtureOfTwoWritesIsTakenForAValue() {
        MemorySegment before = slot(3, "a".repeat(Slot.CAPACITY - 3));
        MemorySegment after = slot(4, "b".repeat(Slot.CAPACITY - 3));
        for (int cut = 8; cut < Slot.BYTES; cut += 8) {
            for (MemorySegment[] order : new MemorySegment[][] {{before, after}, {after, before}}) {
                MemorySegment mixed = Arena.ofAuto().allocate(Slot.BYTES, 8).copyFrom(order[0]);
                mixed.asSlice(cut).copyFrom(order[1].asSlice(cut));
                assertThat(Slot.decode(mixed, KEY)).as("cut at " + cut).isInstanceOf(Slot.Content.Torn.class);
            }
        }
        // Both versions agree, something between them does not.
        MemorySegment mixed = Arena.ofAuto().allocate(Slot.BYTES, 8).copyFrom(after);
        mixed.asSlice(512, 64).copyFrom(before.asSlice(512, 64));
        assertThat(Slot.decode(mixed, KEY)).isInstanceOf(Slot.Content.Torn.class);
    }

    @Test
    void lengthsAreNotBelieved() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            MemorySegment slot = slot(3, "value");
            slot.set(ValueLayout.JAVA_INT, 12, random.nextInt());
            slot.set(ValueLayout.JAVA_INT, 16, random.nextInt());
            assertThat(Slot.decode(slot, KEY)).isInstanceOf(Slot.Content.Torn.class);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> slot(1, "x".repeat(Slot.CAPACITY))).isInstanceOf(IllegalArgumentException.class);
    }
}
