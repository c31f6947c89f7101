package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.XrcReceiver;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import java.time.Duration;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** End of an {@link RdmaXrcReceiver} of which a step fails, and whose failure cannot be logged either. */
class SoftXrcReceiverEndTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final class Full extends Handler {
        @Override
        public void publish(LogRecord entry) {
            throw new IllegalStateException("the disk of the log is full");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

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

        List<Logger> logs = List.of(
                Logger.getLogger(XrcReceiver.class.getName()), Logger.getLogger(CompletionLoop.class.getName()));
        Full full = new Full();
        logs.forEach(log -> log.addHandler(full));
        try {
            receiver.disposeNow(PATIENCE);
        } finally {
            logs.forEach(log -> log.removeHandler(full));
        }
        assertThat(seam.struck()).hasSize(1);
        assertThat(held.toByteArray()).containsOnly(7).hasSize(Long.BYTES);
        held.close();
        sender.disposeNow(PATIENCE); // the loop goes on
        server.disposeNow(PATIENCE);
        seam.endRefused();
    }
}
