package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.engine.DeviceResources;
import io.rdma.verbs.FaultyDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Release of resources after a failure, where the release fails as well. The first failure stays the one reported. */
class UsedResourcesTest {
    private final FaultyDevice faults = new FaultyDevice();
    private final UsedResources used = new UsedResources(new DeviceResources(faults.device()), true);

    @AfterEach
    void close() {
        used.resources().context().close(); // the device refused the first close
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
