package io.rdma.samples.support;

import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --device} of every command. */
public final class DeviceOption {
    private static final String SOFT = "soft0";
    private static final String SOFT_ADDRESS = "io.rdma.soft.address";

    @Option(
            names = {"-d", "--device", "--ib-dev"},
            paramLabel = "NAME",
            description = "Device; default: RDMA_DEVICE, else the first real one with an active port, else soft0.")
    private @Nullable String name;

    @Option(
            names = "--local-address",
            paramLabel = "IP",
            description =
                    "Address of this host for soft0, which then uses UDP port 4791 and is the default device; default: loopback, a free port.")
    private @Nullable String localAddress;

    /**
     * Returns the chosen device.
     *
     * @return not yet open
     * @throws IllegalArgumentException if an address is given for a device that has its own
     */
    public RdmaDevice device() {
        if (localAddress == null) {
            return name == null ? RdmaDevices.defaultDevice() : RdmaDevices.named(name);
        }
        if (name != null && !name.equals(SOFT)) {
            throw new IllegalArgumentException("--local-address is where " + SOFT + " listens; " + name
                    + " has the addresses of its network interface");
        }
        System.setProperty(SOFT_ADDRESS, localAddress); // read when the device is first looked up
        return RdmaDevices.named(SOFT);
    }
}
