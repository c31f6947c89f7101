package io.rdma.internal.soft;

import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.link.CaptureFile;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Capture that begins when a device is opened. */
final class ConfiguredCapture {
    /** System property: path of the pcapng file that receives all packets. */
    private static final String PROPERTY = "io.rdma.soft.capture";

    private ConfiguredCapture() {}

    /**
     * Starts the capture if the property is set.
     *
     * @param plain whether the file has the property's name, and not that with the device's behind it
     * @throws VerbsException EIO if the file cannot be written
     */
    static void start(SoftDevice device, String name, boolean plain) {
        String file = System.getProperty(PROPERTY, "");
        if (file.isBlank()) {
            return;
        }
        try {
            Path path = Path.of(plain ? file : file + '.' + name);
            device.captureTo(new CaptureFile(path, name, device.environment()));
        } catch (IOException | InvalidPathException e) {
            VerbsException failure = new VerbsException(
                    "ibv_open_device(" + name + ")",
                    Errno.EIO,
                    "The packets cannot be captured (" + e + "). Set -D" + PROPERTY
                            + " to a file in a folder that exists and can be written, or unset it");
            failure.initCause(e);
            throw failure;
        }
    }
}
