package io.rdma.internal.engine;

import io.rdma.verbs.FaultyDevice;
import org.junit.jupiter.api.BeforeEach;

/** Two connected endpoints on a software device whose calls fail as a test asks. */
abstract class FaultyConnectedContract extends ConnectedContract {
    final FaultyDevice faults = new FaultyDevice();

    @Override
    String device() {
        return "soft0";
    }

    @BeforeEach
    @Override
    void open() {
        resources = new DeviceResources(faults.device(), resourceOptions());
    }
}
