package io.rdma.samples.learn;

import io.rdma.types.AccessFlag;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import io.rdma.verbs.ProtectionDomain;
import java.util.EnumSet;
import java.util.Set;

/**
 * Memory that is registered once without remote access. A memory window opens it for the peer of a connection, with
 * another key each time.
 */
final class OpenedMemory implements AutoCloseable {
    private final Side side;
    private final MemoryRegion region;
    private final MemoryWindow window;

    OpenedMemory(ProtectionDomain domain, Side side, long bytes) {
        this.side = side;
        region = domain.allocate(bytes, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        window = domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
    }

    /**
     * Opens the memory by binding the window. The bind is a work request, which the device executes without a
     * system call.
     *
     * @return the location and key for the peer
     */
    RemoteMemory open() {
        side.sends.clear();
        side.sends
                .add(1, WorkRequestOpcode.BIND_MW)
                .signaled()
                .bind(window, new MemoryWindowBinding(region, 0, region.length(), Set.of(AccessFlag.REMOTE_WRITE)));
        side.post();
        side.await(1);
        return window.remote();
    }

    /** Closes the memory. The key is invalid from here on. */
    void shut() {
        side.sends.clear();
        side.sends
                .add(2, WorkRequestOpcode.LOCAL_INV)
                .signaled()
                .invalidate(window.remote().rkey());
        side.post();
        side.await(1);
        window.revoked();
    }

    @Override
    public void close() {
        window.close();
        region.close();
    }
}
