package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.lib.FfmVerbs;
import io.rdma.internal.os.Preparation;
import io.rdma.internal.soft.SoftDevices;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The devices of this process: those of libibverbs, then the software device {@code soft0}, which always exists. */
public final class RdmaDevices {
    private RdmaDevices() {}

    /**
     * Starts the initialisation that opening the first device would otherwise wait for. It runs once per process, on a
     * thread of its own, and this method returns at once. The front-ends call it when the first client or server is
     * created. A failure of this initialisation only costs time: its work is done again where it is needed.
     */
    public static void prepare() {
        Preparation.begin();
    }

    /**
     * Lists all devices. If libibverbs is missing or the kernel has no RDMA, the list holds only {@code soft0}.
     *
     * @return a snapshot: real devices in the order of libibverbs, {@code soft0} last
     */
    public static List<RdmaDevice> list() {
        List<RdmaDevice> devices = new ArrayList<>();
        FfmVerbs.ifAvailable().ifPresent(real -> addAll(devices, real));
        addAll(devices, SoftVerbs.shared());
        return List.copyOf(devices);
    }

    private static void addAll(List<RdmaDevice> devices, Verbs verbs) {
        verbs.getDeviceList().forEach(entry -> devices.add(new RdmaDevice(verbs, entry)));
    }

    /**
     * Returns the device with a given name. Besides the listed ones, the devices that tests made with {@code
     * SoftNetwork} have names. For a software device the search for libibverbs is skipped, because it would take a good
     * part of the time until the first message.
     *
     * @param name such as {@code rxe0}
     * @return the device
     * @throws VerbsException ENODEV if there is none; the message lists those that exist
     */
    public static RdmaDevice named(String name) {
        return SoftDevices.named(name)
                .map(verbs -> new RdmaDevice(verbs, verbs.getDeviceList().getFirst()))
                .orElseGet(() -> listed(name));
    }

    private static RdmaDevice listed(String name) {
        List<RdmaDevice> devices = list();
        return devices.stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow(() -> {
            String known = devices.stream().map(RdmaDevice::name).collect(Collectors.joining(", "));
            String missing = FfmVerbs.unavailableReason()
                    .map(reason -> " (" + reason + ")")
                    .orElse("");
            return new VerbsException(
                    "ibv_open_device(" + name + ")", Errno.ENODEV, "This host has the devices " + known + missing);
        });
    }

    /**
     * Returns the default device: the one that the environment variable {@code RDMA_DEVICE} names, else the first real
     * device that has an active port, else {@code soft0}.
     *
     * @return the device
     * @throws VerbsException ENODEV if {@code RDMA_DEVICE} names no existing device
     */
    public static RdmaDevice defaultDevice() {
        String wanted = System.getenv("RDMA_DEVICE");
        if (wanted != null && !wanted.isBlank()) {
            return named(wanted.strip());
        }
        List<RdmaDevice> devices = list();
        return devices.stream()
                .filter(device -> device.isSoftware() || hasActivePort(device))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the software device always exists"));
    }

    private static boolean hasActivePort(RdmaDevice device) {
        try (DeviceContext context = device.open()) {
            int ports = context.queryDevice().physPortCnt();
            for (int port = 1; port <= ports; port++) {
                if (context.queryPort(port).state().isUsable()) {
                    return true;
                }
            }
            return false;
        } catch (VerbsException e) {
            return false; // no permission, or the device is gone: it cannot be the default
        }
    }
}
