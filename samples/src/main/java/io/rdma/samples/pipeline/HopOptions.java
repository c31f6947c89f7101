package io.rdma.samples.pipeline;

import io.rdma.samples.support.DeviceOption;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the connections between stages, which are the same for the whole pipeline. */
final class HopOptions {
    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(
            names = "--buffers",
            defaultValue = "64",
            description = "Send buffers, and receive buffers, of each connection; default: ${DEFAULT-VALUE}.")
    private int buffers;

    @Option(
            names = "--samples",
            defaultValue = "128",
            description = "Samples of 8 bytes in each block; default: ${DEFAULT-VALUE}.")
    private int samples;

    Hop hop() {
        return new Hop(device.device().name(), buffers, Message.bytes(samples()));
    }

    int samples() {
        if (samples < 8 || samples > 1 << 20) {
            throw new IllegalArgumentException("--samples must be from 8 to " + (1 << 20) + ": " + samples);
        }
        return samples;
    }

    /** Returns the arguments for a stage in another process. */
    List<String> arguments() {
        return List.of(
                "--device",
                device.device().name(),
                "--buffers",
                Integer.toString(buffers),
                "--samples",
                Integer.toString(samples()));
    }
}
