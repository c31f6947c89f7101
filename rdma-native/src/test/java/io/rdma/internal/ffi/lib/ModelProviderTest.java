package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Wc;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of functions that no device of the other tests has, as a model of a provider sees them. */
class ModelProviderTest {
    private static final int BELOW = 400; // more than struct verbs_context has below its ibv_context
    private static final int OBJECT_BYTES = 1024;

    private final Arena arena = Arena.ofShared();
    private final List<String> called = new ArrayList<>();
    private final long context = arena.allocate(BELOW + OBJECT_BYTES, 8).address() + BELOW;
    private final long object = arena.allocate(OBJECT_BYTES, 8).address();
    private final FfmOptional optional = new FfmOptional();
    private int errno;
    private int completions;

    @BeforeEach
    void prepare() {
        NativeMemory.putLong(context + ProviderCalls.abiCompat(System.getProperty("os.arch")), -1);
        NativeMemory.putLong(context - Long.BYTES, BELOW + OBJECT_BYTES);
        NativeMemory.putLong(object, context); // the first field of each object
    }

    @AfterEach
    void close() {
        arena.close();
    }

    /** Returns a pointer to a method of this test. */
    private long function(String method, MethodType type, FunctionDescriptor descriptor)
            throws ReflectiveOperationException {
        return Linker.nativeLinker()
                .upcallStub(MethodHandles.lookup().bind(this, method, type), descriptor, arena)
                .address();
    }

    private void provide(long field, String method) throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(int.class, long.class, long.class);
        NativeMemory.putLong(
                context + field, function(method, type, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)));
    }

    private int modifyCq(long cq, long attr) {
        called.add("modify_cq " + (cq == object) + ' ' + NativeMemory.getInt(attr) + ' '
                + (NativeMemory.getShort(attr + 4) & 0xffff) + ' ' + (NativeMemory.getShort(attr + 6) & 0xffff));
        return errno;
    }

    private int modifyQpRateLimit(long qp, long attr) {
        called.add("modify_qp_rate_limit " + (qp == object) + ' ' + NativeMemory.getInt(attr) + ' '
                + NativeMemory.getInt(attr + 4) + ' ' + (NativeMemory.getShort(attr + 8) & 0xffff) + ' '
                + NativeMemory.getInt(attr + 12));
        return errno;
    }

    /** As mlx5 does: it leaves the seconds 0 and puts the ticks into the nanoseconds. */
    private int queryRtValues(long of, long values) {
        called.add("query_rt_values " + (of == context) + ' ' + NativeMemory.getInt(values));
        NativeMemory.putLong(values + 16, 123_456_789_012L);
        return errno;
    }

    @Test
    void aProviderModerates() throws ReflectiveOperationException {
        provide(FfmOptional.VERBS_MODIFY_CQ, "modifyCq");
        optional.modifyCq(object, 65_535, 40_000);
        assertThat(called).containsExactly("modify_cq true 1 65535 40000");
        errno = Errno.EINVAL;
        assertThatThrownBy(() -> optional.modifyCq(object, 1, 1))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aProviderLimitsRates() throws ReflectiveOperationException {
        provide(FfmOptional.VERBS_MODIFY_QP_RATE_LIMIT, "modifyQpRateLimit");
        optional.modifyQpRateLimit(object, 1_000_000, 4096, 40_000);
        assertThat(called).containsExactly("modify_qp_rate_limit true 1000000 4096 40000 0");
        errno = Errno.EINVAL;
        assertThatThrownBy(() -> optional.modifyQpRateLimit(object, 1, 0, 0))
                .hasMessageContainingAll("EINVAL", "qpRateLimitMin", "qpRateLimitMax", "RTS");
    }

    @Test
    void aProviderTellsItsClock() throws ReflectiveOperationException {
        provide(FfmOptional.VERBS_QUERY_RT_VALUES, "queryRtValues");
        assertThat(optional.queryRawClock(context)).isEqualTo(123_456_789_012L);
        assertThat(called).containsExactly("query_rt_values true 1");
    }

    @Test
    void aProviderWithoutThemIsLacking() {
        assertLacking();
    }

    /** As the functions by which rdma-core fills what a provider lacks. */
    @ParameterizedTest
    @ValueSource(ints = {Errno.EOPNOTSUPP, -Errno.EOPNOTSUPP, Errno.ENOSYS})
    void aProviderThatRefusesThemIsLacking(int refusal) throws ReflectiveOperationException {
        errno = refusal;
        provide(FfmOptional.VERBS_MODIFY_CQ, "modifyCq");
        provide(FfmOptional.VERBS_MODIFY_QP_RATE_LIMIT, "modifyQpRateLimit");
        provide(FfmOptional.VERBS_QUERY_RT_VALUES, "queryRtValues");
        assertLacking();
    }

    private void assertLacking() {
        for (var call : List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                () -> optional.modifyCq(object, 1, 1),
                () -> optional.modifyQpRateLimit(object, 1, 1, 1),
                () -> optional.queryRawClock(context),
                () -> optional.allocNullMr(object),
                () -> optional.allocTd(context),
                () -> optional.deallocTd(object))) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                    .hasMessageContaining("This device does not support ");
        }
    }

    private int startPoll(long cq, long attr) {
        called.add("start");
        return completions == 0 ? Errno.ENOENT : next();
    }

    private int nextPoll(long cq) {
        called.add("next");
        return completions == 0 ? Errno.ENOENT : next();
    }

    private int next() {
        NativeMemory.putLong(object + CqEx.BASE + CqEx.WR_ID, completions--);
        NativeMemory.putInt(object + CqEx.BASE + CqEx.STATUS, Ibv.WC_WR_FLUSH_ERR);
        return 0;
    }

    private void endPoll(long cq) {
        called.add("end");
    }

    private int poll(int has, int entries, long cqContext) throws ReflectiveOperationException {
        long ex = object + CqEx.BASE;
        MemoryLayout[] two = {JAVA_LONG, JAVA_LONG};
        MethodType start = MethodType.methodType(int.class, long.class, long.class);
        NativeMemory.putLong(ex + CqEx.START_POLL, function("startPoll", start, FunctionDescriptor.of(JAVA_INT, two)));
        NativeMemory.putLong(
                ex + CqEx.NEXT_POLL,
                function(
                        "nextPoll",
                        MethodType.methodType(int.class, long.class),
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG)));
        NativeMemory.putLong(
                ex + CqEx.END_POLL,
                function(
                        "endPoll",
                        MethodType.methodType(void.class, long.class),
                        FunctionDescriptor.ofVoid(JAVA_LONG)));
        NativeMemory.putLong(object + ExtendedPoll.CQ_CONTEXT, cqContext);
        completions = has;
        called.clear();
        long wc = arena.allocate((long) entries * Wc.SIZE, 8).address();
        long times = arena.allocate((long) entries * Long.BYTES, 8).address();
        int polled = ExtendedPoll.poll(object, entries, wc, times);
        long[] ids = new long[polled];
        Arrays.setAll(ids, i -> Wc.wrId(wc + (long) i * Wc.SIZE));
        for (int i = 0; i < polled; i++) {
            assertThat(ids[i]).as("each completion once").isEqualTo(has - i);
        }
        return polled;
    }

    @Test
    void aBatchIsPolledBetweenOneStartAndOneEnd() throws ReflectiveOperationException {
        assertThat(poll(3, 8, ExtendedPoll.IN_BATCHES)).isEqualTo(3);
        assertThat(called).containsExactly("start", "next", "next", "next", "end");
        assertThat(poll(5, 2, ExtendedPoll.IN_BATCHES)).isEqualTo(2);
        assertThat(called).as("no completion is taken and dropped").containsExactly("start", "next", "end");
        assertThat(poll(0, 2, ExtendedPoll.IN_BATCHES)).isZero();
        assertThat(called).as("an end needs a start that succeeded").containsExactly("start");
    }

    @Test
    void completionsArePolledOneByOneWhereTheNextOneIsNotSafe() throws ReflectiveOperationException {
        assertThat(poll(2, 8, ExtendedPoll.ONE_BY_ONE)).isEqualTo(2);
        assertThat(called).containsExactly("start", "end", "start", "end", "start");
    }
}
