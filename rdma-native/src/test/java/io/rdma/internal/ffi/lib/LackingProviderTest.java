package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.Ibv.QPT_RC;
import static io.rdma.internal.ibv.Ibv.QPT_UD;
import static io.rdma.internal.ibv.Ibv.QPT_XRC_SEND;
import static io.rdma.internal.ibv.Ibv.SEND_INLINE;
import static io.rdma.internal.ibv.Ibv.WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Objects of a provider that lacks functions, whose pointers are null then. The virtual machine refuses the call of a
 * null pointer by an exception. Between wr_start and wr_complete that would leave the provider's lock held.
 */
class LackingProviderTest {
    private static final int OBJECT_BYTES = 1024; // more than struct ibv_qp_ex, ibv_cq_ex or ibv_dm
    private static final int QP_TYPE = 60; // offset in struct ibv_qp
    private static final int MOST_ENTRIES = 2;

    private final Arena arena = Arena.ofShared();
    private final List<String> called = new ArrayList<>();
    private final FfmExtended extended = new FfmExtended();
    private final long object = arena.allocate(OBJECT_BYTES, 8).address();
    private final long request = arena.allocate(SendWr.SIZE, 8).address();
    private final long badWr = arena.allocate(8, 8).address();

    @BeforeEach
    void prepare() {
        SendWr.opcode(request, WR_SEND);
        SendWr.sgList(request, arena.allocate((long) MOST_ENTRIES * Sge.SIZE, 8).address());
    }

    @AfterEach
    void close() {
        arena.close();
    }

    /** Makes the queue pair have a function that notes its call. */
    private void provide(int field, String name) throws ReflectiveOperationException {
        MethodHandle note = MethodHandles.lookup()
                .findVirtual(
                        LackingProviderTest.class, "note", MethodType.methodType(void.class, String.class, long.class))
                .bindTo(this)
                .bindTo(name);
        NativeMemory.putLong(
                object + QpEx.BASE + field,
                Linker.nativeLinker()
                        .upcallStub(note, FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), arena)
                        .address());
    }

    private void note(String name, long qp) {
        called.add(name);
    }

    private void provideFrame() throws ReflectiveOperationException {
        provide(QpEx.WR_START, "start");
        provide(QpEx.WR_COMPLETE, "complete");
        provide(QpEx.WR_ABORT, "abort");
    }

    private void assertRefused() {
        assertThat(extended.wrPost(object, request, badWr)).isEqualTo(-Errno.EOPNOTSUPP);
        assertThat(NativeMemory.getLong(badWr)).as("nothing is posted").isEqualTo(request);
    }

    @Test
    void aPostWithoutFunctionsIsRefused() {
        assertRefused();
    }

    @Test
    void anOperationThatIsLackingIsRefused() throws ReflectiveOperationException {
        provideFrame();
        assertRefused();
        assertThat(called).containsExactly("start", "abort");
    }

    /** Checks a request whose data or destination cannot be set, with 1, 2 and inline entries. */
    @ParameterizedTest(name = "type {0}, {1} entries, flags {2}")
    @CsvSource({QPT_RC + ",1,0", QPT_RC + ",2,0", QPT_RC + ",1," + SEND_INLINE, QPT_UD + ",1,0", QPT_XRC_SEND + ",1,0"})
    void aSetterThatIsLackingRefusesTheRequest(int type, int entries, int flags) throws ReflectiveOperationException {
        NativeMemory.putInt(object + QP_TYPE, type);
        SendWr.numSge(request, entries);
        SendWr.sendFlags(request, flags);
        provideFrame();
        provide(QpEx.WR_SEND, "send");
        if (type != QPT_RC) {
            provide(QpEx.WR_SET_SGE, "data");
        }
        assertRefused();
        assertThat(called).containsExactly("start", "abort");
    }

    @Test
    void aPollWithoutFunctionsIsRefused() {
        assertThat(extended.pollEx(object, 1, request, badWr)).isEqualTo(-Errno.EOPNOTSUPP);
    }

    @Test
    void aCopyToAndFromDeviceMemoryIsRefused() {
        FfmMemory memory = new FfmMemory();
        assertThatThrownBy(() -> memory.memcpyToDm(object, 0, request, 8))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThatThrownBy(() -> memory.memcpyFromDm(request, object, 0, 8))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }
}
