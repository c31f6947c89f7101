package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bring-up that ends on a device which does not destroy its queue pair. */
class RefusedDestroyTest {
    @Test
    void theRoomForItsCompletionsIsFreeAllTheSame() {
        FaultySeam seam = new FaultySeam(
                SoftVerbs.shared(), List.of(new SeamFault("Verbs.destroyQp", 1, SeamFault.Kind.EXCEPTION)));
        try (DeviceResources resources = new DeviceResources(seam.device("soft0"))) {
            QueuePairBringUp queuePair =
                    new QueuePairBringUp(resources, ConnectionOptions.DEFAULT, InetAddress.getLoopbackAddress(), null);
            assertThatThrownBy(queuePair::close).isInstanceOf(SeamFault.Thrown.class);
            assertThat(resources.loops()).allMatch(loop -> loop.freeEntries() == loop.entries());
            seam.endRefused();
        }
        assertThat(seam.left()).isEmpty();
    }
}
