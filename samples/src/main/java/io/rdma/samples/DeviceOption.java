package io.rdma.samples;

import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --device}, for every command. */
final class DeviceOption {
    @Option(
            names = {"-d", "--device", "--ib-dev"},
            paramLabel = "NAME",
            description = "Device; default: RDMA_DEVICE, else the first real one with an active port, else soft0.")
    private @Nullable String name;

    RdmaDevice device() {
        return name == null ? RdmaDevices.defaultDevice() : RdmaDevices.named(name);
    }
}
