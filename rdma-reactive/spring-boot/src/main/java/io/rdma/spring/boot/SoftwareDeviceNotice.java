package io.rdma.spring.boot;

import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Warning that an application uses the software device on a host that has a card, with the reason. */
final class SoftwareDeviceNotice {
    /** Directory in which Linux lists the devices, also where libibverbs is missing. */
    private static final Path CARDS = Path.of("/sys/class/infiniband");

    private SoftwareDeviceNotice() {}

    /**
     * Logs the warning, if the host has a card.
     *
     * @param used name of the software device
     * @param property value of {@code rdma.device}
     */
    static void log(String used, @Nullable String property) {
        Logger logger = System.getLogger(SoftwareDeviceNotice.class.getName());
        try {
            text(used, cards(CARDS), property, System.getenv("RDMA_DEVICE"), SoftwareDeviceNotice::listed)
                    .ifPresent(text -> logger.log(Logger.Level.WARNING, text));
        } catch (RuntimeException e) { // a notice must not keep an application from its start
            logger.log(Logger.Level.DEBUG, "the cards of this host could not be listed", e);
        }
    }

    /**
     * Returns the warning.
     *
     * @param used name of the software device
     * @param cards names of the cards of the host
     * @param property value of {@code rdma.device}
     * @param variable value of the environment variable RDMA_DEVICE
     * @param listed names of the devices of libibverbs. It is asked only if it matters: the search takes time
     */
    static Optional<String> text(
            String used,
            List<String> cards,
            @Nullable String property,
            @Nullable String variable,
            Supplier<List<String>> listed) {
        if (cards.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of("the software device " + used + " is used, although this host has "
                + String.join(", ", cards) + ", because " + reason(property, variable, listed));
    }

    private static String reason(@Nullable String property, @Nullable String variable, Supplier<List<String>> listed) {
        if (property != null && !property.isBlank()) {
            return "rdma.device=" + property + " asks for it: set the property to the name of a card";
        }
        if (variable != null && !variable.isBlank()) {
            return "the environment variable RDMA_DEVICE=" + variable
                    + " asks for it: set rdma.device to the name of a card";
        }
        List<String> known = listed.get();
        return known.isEmpty()
                ? "libibverbs lists no device: install rdma-core with the provider of the card"
                : "none of " + known
                        + " has an active port that this process may use: see ibv_devinfo, or name a device by"
                        + " rdma.device and set rdma.required=true to learn why it cannot be used";
    }

    private static List<String> listed() {
        return RdmaDevices.list().stream()
                .filter(device -> !device.isSoftware())
                .map(RdmaDevice::name)
                .toList();
    }

    /** Returns the names in a directory, sorted; none if it is not there. */
    static List<String> cards(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of(); // no kernel module of RDMA
        }
    }
}
