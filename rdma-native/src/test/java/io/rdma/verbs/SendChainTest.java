package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.testing.RoutablePath;
import io.rdma.types.AccessFlag;
import io.rdma.types.GidTableEntry;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.PlacementType;
import io.rdma.types.WorkRequestOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Test of the memory that a provider reads. A chain writes most of a request late: at the next one, or at the post. */
class SendChainTest {
    private final SendChain chain = new SendChain(3, 2);

    /** Returns the addresses of the requests, as {@code ibv_post_send(3)} finds them: by {@code next}, until 0. */
    private List<Long> posted() {
        List<Long> found = new ArrayList<>();
        for (long request = chain.address(); request != 0; request = SendWr.next(request)) {
            found.add(request);
        }
        return found;
    }

    private List<Long> ids() {
        return posted().stream().map(SendWr::wrId).toList();
    }

    @Test
    void everyFieldIsInMemory() {
        chain.add(7, WorkRequestOpcode.RDMA_WRITE_WITH_IMM)
                .remote(0x1234, 5)
                .immediate(0x01020304)
                .signaled()
                .entry(0x1000, 10, 11)
                .entry(0x2000, 20, 21)
                .fence();
        chain.add(8, WorkRequestOpcode.SEND_WITH_INV).invalidate(0x0a0b0c0d).inline();
        List<Long> requests = posted();
        long write = requests.get(0);
        assertThat(SendWr.wrId(write)).isEqualTo(7);
        assertThat(SendWr.opcode(write)).isEqualTo(Ibv.WR_RDMA_WRITE_WITH_IMM);
        assertThat(SendWr.sendFlags(write)).isEqualTo(Ibv.SEND_SIGNALED | Ibv.SEND_FENCE);
        assertThat(SendWr.immData(write)).isEqualTo(0x01020304);
        assertThat(SendWr.rdmaRemoteAddr(write)).isEqualTo(0x1234);
        assertThat(SendWr.rdmaRkey(write)).isEqualTo(5);
        assertThat(SendWr.numSge(write)).isEqualTo(2);
        long first = SendWr.sgList(write);
        long second = first + Sge.SIZE;
        assertThat(List.of(Sge.addr(first), Sge.addr(second))).containsExactly(0x1000L, 0x2000L);
        assertThat(List.of(Sge.length(first), Sge.length(second))).containsExactly(10, 20);
        assertThat(List.of(Sge.lkey(first), Sge.lkey(second))).containsExactly(11, 21);
        long send = requests.get(1);
        assertThat(SendWr.opcode(send)).isEqualTo(Ibv.WR_SEND_WITH_INV);
        assertThat(SendWr.sendFlags(send)).isEqualTo(Ibv.SEND_INLINE);
        assertThat(SendWr.invalidateRkey(send)).isEqualTo(0x0a0b0c0d);
        assertThat(SendWr.numSge(send)).isZero();
        assertThat(requests).hasSize(2);
    }

    @Test
    void nothingOfAnEarlierUseIsLeft() {
        chain.add(1, WorkRequestOpcode.RDMA_WRITE_WITH_IMM)
                .immediate(9)
                .signaled()
                .entry(0x1000, 10, 11);
        chain.add(2, WorkRequestOpcode.SEND);
        assertThat(ids()).containsExactly(1L, 2L);
        chain.clear();
        chain.add(3, WorkRequestOpcode.SEND);
        long request = posted().getFirst();
        assertThat(SendWr.sendFlags(request) + SendWr.immData(request) + SendWr.numSge(request))
                .isZero();
        assertThat(ids()).containsExactly(3L);
        chain.clear();
        chain.add(4, WorkRequestOpcode.SEND);
        chain.add(5, WorkRequestOpcode.SEND);
        chain.add(6, WorkRequestOpcode.SEND);
        assertThat(ids()).containsExactly(4L, 5L, 6L);
        assertThatThrownBy(() -> chain.add(7, WorkRequestOpcode.SEND)).isInstanceOf(IllegalStateException.class);
        assertThat(ids()).containsExactly(4L, 5L, 6L);
    }

    @Test
    void aChainThatWasPostedCanGrow() {
        chain.add(1, WorkRequestOpcode.SEND).signaled();
        assertThat(ids()).containsExactly(1L);
        chain.add(2, WorkRequestOpcode.SEND);
        assertThat(ids()).containsExactly(1L, 2L);
        assertThat(SendWr.sendFlags(posted().getFirst())).isEqualTo(Ibv.SEND_SIGNALED);
    }

    @Test
    void theRequestBeforeARemovedOneIsTheLastAgain() {
        chain.add(1, WorkRequestOpcode.SEND_WITH_IMM).immediate(9).signaled().entry(0x1000, 10, 11);
        chain.add(2, WorkRequestOpcode.SEND).inline().entry(0x3000, 30, 31);
        chain.removeLast();
        assertThat(ids()).containsExactly(1L);
        chain.entry(0x2000, 20, 21).fence();
        long request = posted().getFirst();
        assertThat(SendWr.opcode(request)).isEqualTo(Ibv.WR_SEND_WITH_IMM);
        assertThat(SendWr.sendFlags(request)).isEqualTo(Ibv.SEND_SIGNALED | Ibv.SEND_FENCE);
        assertThat(SendWr.immData(request)).isEqualTo(9);
        assertThat(SendWr.numSge(request)).isEqualTo(2);
        assertThat(Sge.addr(SendWr.sgList(request) + Sge.SIZE)).isEqualTo(0x2000);
        chain.add(3, WorkRequestOpcode.SEND);
        assertThat(ids()).containsExactly(1L, 3L);
    }

    @Test
    void aChainWhoseOnlyRequestWasRemovedIsEmpty() {
        chain.add(1, WorkRequestOpcode.SEND).removeLast();
        assertThat(chain.size()).isZero();
        assertThatThrownBy(() -> chain.entry(0x1000, 10, 11)).isInstanceOf(IllegalStateException.class);
        chain.add(2, WorkRequestOpcode.SEND);
        assertThat(ids()).containsExactly(2L);
    }

    @Test
    void aRemovedDatagramHasNoDestination() {
        try (Pair pair = new Pair("soft0", Pair.REMOTE);
                AddressHandle path = handle(pair)) {
            chain.add(1, WorkRequestOpcode.SEND).destination(path, 7, 0);
            chain.add(2, WorkRequestOpcode.SEND).destination(path, 7, 0).removeLast();
            chain.requireDatagrams(64);
            chain.add(3, WorkRequestOpcode.SEND);
            assertThatThrownBy(() -> chain.requireDatagrams(64)).hasMessageContaining("only 1 of 2");
            chain.destination(path, 7, 0);
            chain.requireDatagrams(64);
        }
    }

    private static AddressHandle handle(Pair pair) {
        GidTableEntry gid = RoutablePath.gid(pair.context);
        return pair.domain.createAddressHandle(AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), 1));
    }

    @Test
    void aRemovedOperationIsNotInTheChain() {
        int sends = WorkRequestOpcode.SEND.bit();
        chain.add(1, WorkRequestOpcode.SEND)
                .add(2, WorkRequestOpcode.FLUSH)
                .flushRegion(5, PlacementType.GLOBAL_VISIBILITY);
        assertThat(chain.operations()).isEqualTo(sends | WorkRequestOpcode.FLUSH.bit());
        assertThat(chain.removeLast().operations()).isEqualTo(sends);
        assertThat(chain.removeLast().operations()).isZero();
    }

    @Test
    void aRemovedBindingIsNotPosted() {
        try (Pair pair = new Pair("soft0", Pair.REMOTE);
                MemoryRegion region = pair.domain.allocate(64, Set.of(AccessFlag.MW_BIND, AccessFlag.LOCAL_WRITE));
                MemoryWindow first = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
                MemoryWindow second = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2)) {
            MemoryWindowBinding binding = new MemoryWindowBinding(region, 0, 64, Set.of(AccessFlag.REMOTE_WRITE));
            chain.add(1, WorkRequestOpcode.BIND_MW).bind(first, binding);
            chain.add(2, WorkRequestOpcode.BIND_MW).bind(second, binding).removeLast();
            assertThat(chain.hasBindings()).isTrue();
            chain.removeLast();
            assertThat(chain.hasBindings()).isFalse();
        }
    }
}
