package io.rdma.internal.soft;

import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.objects.Personality;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Software devices of this process by their names: one of each {@link Personality}, of which {@code soft0} is one, and
 * those that tests made.
 */
public final class SoftDevices {
    private static final Map<String, SoftVerbs> MADE = new ConcurrentHashMap<>();
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private SoftDevices() {}

    /** Makes a device on the loopback interface, with a name that no other device of this process has or had. */
    public static SoftVerbs make() {
        return make(SoftConfig.loopback());
    }

    /** Makes a device of a configuration, with a name that no other device of this process has or had. */
    public static SoftVerbs make(SoftConfig config) {
        SoftVerbs made = new SoftVerbs(config.withName("soft" + NUMBER.incrementAndGet()));
        MADE.put(made.name(), made);
        return made;
    }

    /** Ends the name of a device that was made. */
    public static void forget(SoftVerbs made) {
        MADE.remove(made.name());
    }

    /** Returns the device of a name. */
    public static Optional<SoftVerbs> named(String name) {
        return Personality.of(name).map(SoftVerbs::shared).or(() -> Optional.ofNullable(MADE.get(name)));
    }
}
