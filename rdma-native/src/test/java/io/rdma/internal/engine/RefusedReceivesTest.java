package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.engine.ResourceOptions;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ReceiveChain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ring whose device refuses a post. The ring reports that to its owner once, even if the owner throws. */
class RefusedReceivesTest {
    private final List<Throwable> errors = new ArrayList<>();

    /** Device that refuses every post, and throws when the refusal is reported. */
    private final class Refusing implements ReceiveRing.Device {
        @Override
        public int post(ReceiveChain chain) {
            return -Errno.ENOMEM;
        }

        @Override
        public int postedBeforeFailure(ReceiveChain chain) {
            return 0;
        }

        @Override
        public void reposted(int messages, int control) {}

        @Override
        public void refused(Throwable error) {
            errors.add(error);
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void completed(int slot, CompletionBatch completions, int index) {}
    }

    @Test
    void aRefusedPostIsReportedOnce() {
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed("soft0"), ResourceOptions.DEFAULT)) {
            CompletionLoop loop = resources.loops().getFirst();
            ReceiveRing ring = new ReceiveRing(loop, resources.domain(), new Refusing(), 4, 0, 4, 64, false, false);
            ring.postAll(); // what the receiver of the refusal throws ends nothing
            assertThat(errors).singleElement().isInstanceOf(VerbsException.class);
            assertThat(ring.posted()).isZero();
            ring.stop();
            ring.destroyed();
        }
    }
}
