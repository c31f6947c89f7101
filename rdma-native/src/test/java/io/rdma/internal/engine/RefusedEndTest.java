package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import io.rdma.types.AccessFlag;
import io.rdma.types.WorkCompletionException;
import io.rdma.verbs.MemoryRegion;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Objects that the device does not destroy. Whoever waits for their end hears of it all the same. */
class RefusedEndTest extends ConnectedContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    void open() {
        // Each test opens a device of its own.
    }

    private static FaultySeam refusing(Verbs real, String call) {
        return new FaultySeam(real, List.of(new SeamFault(call, 1, SeamFault.Kind.EXCEPTION)));
    }

    @Test
    void aBindFailsAlthoughTheDeviceKeepsItsWindow() {
        FaultySeam seam = refusing(SoftVerbs.shared(), "MemoryWindowVerbs.deallocMw");
        resources = new DeviceResources(seam.device("soft0"), resourceOptions());
        connect(small());
        MemoryRegion unbound = client.memory().allocate(64, Set.of(AccessFlag.LOCAL_WRITE)); // without MW_BIND
        try (CapturedLog log = new CapturedLog(BindOperation.class.getName())) {
            assertThat(client.memory().bind(unbound, 0, 64, Set.of(AccessFlag.REMOTE_READ)))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withCauseInstanceOf(WorkCompletionException.class);
            assertThat(seam.struck()).hasSize(1);
            assertThat(client.closed()).succeedsWithin(PATIENCE);
            assertThat(log.has("WARNING", "a memory window was not freed")).isTrue();
        }
        assertThat(seam.left()).as("the window is closed with the connection").noneMatch(one -> one.startsWith("mw"));
    }

    @Test
    void aLoopThatHasEndedIsNotWoken() {
        FaultySeam seam = refusing(FaultySoft.create(0, 0, 0, 1), "Verbs.destroyCompChannel");
        DeviceResources own = new DeviceResources(seam.device(), resourceOptions());
        CompletionLoop loop = own.loops().getFirst();
        assertThatThrownBy(own::close).isInstanceOf(SeamFault.Thrown.class);
        int wakes = seam.calls().get("Verbs.wakeCompChannel");
        loop.execute(() -> {});
        assertThat(seam.calls()).containsEntry("Verbs.wakeCompChannel", wakes);
        seam.endRefused();
    }
}
