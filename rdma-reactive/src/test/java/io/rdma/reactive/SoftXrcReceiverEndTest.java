package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.XrcReceiver;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.BrokenLog;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** End of an {@link RdmaXrcReceiver} of which a step fails, and whose failure cannot be logged either. */
@SuppressWarnings("try") // the log is broken as long as it is open
class SoftXrcReceiverEndTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @ParameterizedTest
    @EnumSource(names = {"ERRNO", "EXCEPTION", "ERROR"})
    void everyStepOfTheEndRunsOnce(SeamFault.Kind kind) {
        FaultySeam seam =
                new FaultySeam(FaultySoft.create(() -> false), List.of(new SeamFault("Verbs.destroySrq", 1, kind)));
        RdmaResources resources = RdmaResources.open(seam.device("soft0"));
        RdmaXrcReceiver receiver = RdmaXrcReceiver.create()
                .resources(resources)
                .receiveBuffers(4, 64)
                .bindNow(PATIENCE);
        DisposableServer server = RdmaXrcServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(0)
                .receiveBufferSize(64)
                .bindNow(PATIENCE);
        RdmaXrcSender sender = RdmaXrcClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(server.port())
                .connectNow(PATIENCE);
        sender.send(Long.BYTES, target -> target.fill((byte) 7), receiver.number())
                .block(PATIENCE);
        ReceivedMessage held = receiver.receiveOwned().blockFirst(PATIENCE);

        try (BrokenLog broken = new BrokenLog(XrcReceiver.class, CompletionLoop.class)) {
            receiver.disposeNow(PATIENCE);
        }
        assertThat(seam.struck()).hasSize(1);
        assertThat(held.toByteArray()).containsOnly(7).hasSize(Long.BYTES);
        held.close();
        sender.disposeNow(PATIENCE); // the loop goes on
        server.disposeNow(PATIENCE);
        seam.endRefused();
    }
}
