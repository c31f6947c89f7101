package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.environment.WithoutThreads;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.CapturedLog;
import io.rdma.verbs.FaultyDevice;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Release of resources that fails: after another failure, which stays the one reported, or behind a server. */
class UsedResourcesTest {
    private final FaultyDevice faults = new FaultyDevice();
    private final DeviceResources resources = new DeviceResources(faults.device());
    private final UsedResources used = new UsedResources(resources, resources);

    @AfterEach
    void close() {
        used.resources().context().close(); // the device refused the first close
    }

    /** Both front-ends release a server's resources on a thread without a caller. */
    @Test
    void aFailureToReleaseBehindAServerIsLogged() {
        RdmaListener listener = closedListener();
        Error refusal = new InternalError("a test's");
        faults.nextThrows.put("closeDevice", refusal);
        try (CapturedLog log = new CapturedLog(UsedResources.class.getName())) {
            used.releaseBehind(listener);
            assertThat(log.lines()).containsExactly("SEVERE the server's resources were not released");
        }
    }

    /** A loop may close the server, so its thread must not wait for the connections. But nobody may wait for ever. */
    @Test
    void withoutMemoryForAThreadTheEndOfAServerFails() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        assertThatThrownBy(() -> used.releaseBehind(closedListener(), released, new WithoutThreads()))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(released).isCompletedExceptionally();
        used.release();
    }

    private RdmaListener closedListener() {
        RdmaListener listener = RdmaListener.bind(
                used.resources(),
                ConnectionOptions.DEFAULT,
                AdmissionLimits.DEFAULT,
                new InetSocketAddress("127.0.0.1", 0),
                connection -> {});
        listener.close();
        return listener;
    }

    @Test
    void aFailureToReleaseIsSuppressedInTheFirstFailure() {
        Error later = new InternalError("a test's");
        faults.nextThrows.put("closeDevice", later);
        RuntimeException failure = new IllegalStateException("a test's");
        used.releaseAfter(failure);
        assertThat(failure).hasSuppressedException(later);
    }

    /** The virtual machine throws one and the same OutOfMemoryError again when it has no memory for another. */
    @Test
    void aFailureIsNotSuppressedInItself() {
        Error failure = new OutOfMemoryError("a test's");
        faults.nextThrows.put("closeDevice", failure);
        used.releaseAfter(failure);
        assertThat(failure).hasNoSuppressedExceptions();
    }
}
