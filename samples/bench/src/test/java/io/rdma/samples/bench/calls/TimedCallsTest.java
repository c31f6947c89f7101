package io.rdma.samples.bench.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ffi.lib.ProviderCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timed calls of {@code memcmp(3)}, which has the arguments of a post, in the place of a provider's function. */
class TimedCallsTest {
    @ParameterizedTest
    @EnumSource(CallingStyle.class)
    void everyStyleCallsTheFunctionOfTheContextWithAllArguments(CallingStyle style) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(1024, 8);
            MemorySegment object = arena.allocate(16, 8);
            MemorySegment other = arena.allocate(16, 8);
            object.set(ValueLayout.JAVA_LONG, 0, context.address());
            other.set(ValueLayout.JAVA_LONG, 0, context.address());
            other.set(ValueLayout.JAVA_BYTE, 15, (byte) 1);
            MemorySegment memcmp =
                    Linker.nativeLinker().defaultLookup().find("memcmp").orElseThrow();
            context.set(ValueLayout.JAVA_LONG, ProviderCalls.OPS_POST_SEND, memcmp.address());

            TimedCalls calls = TimedCalls.of(style, ProviderFunction.POST_SEND, object.address());
            assertThat(calls.nanos(1000, object.address(), other.address(), 15)).isPositive();
            assertThat(calls.failure()).isZero();
            calls.nanos(3, object.address(), other.address(), 16);
            assertThat(calls.failure()).isNotZero();
        }
    }
}
