package io.rdma.samples.learn;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.buffer.RegistrationCache;
import io.rdma.samples.support.DeviceOption;
import io.rdma.types.AccessFlag;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A measurement of the ways to let the device use the application's memory: registering it each time, once, through a
 * cache, or with paging on demand, or copying into registered memory. Also of opening memory for a peer each time, by
 * a window.
 */
@Command(
        name = "registration",
        mixinStandardHelpOptions = true,
        description = "A write of the application's memory: registered each time, once, by a cache, on demand, or"
                + " copied; and into memory that a window opens for it.")
final class Registration implements Callable<Integer> {
    private static final int SMALLEST = 4096;

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private Measuring measuring = new Measuring();

    @Option(names = "--max-size", defaultValue = "4194304", description = "Largest write; default: ${DEFAULT-VALUE}.")
    private int largest = 4 << 20;

    @Override
    public Integer call() {
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                RegistrationCache cache = new RegistrationCache(domain, 2L * largest);
                Side a = new Side(context, domain, largest);
                Side b = new Side(context, domain, largest);
                Arena arena = Arena.ofShared()) {
            RemoteMemory there = b.address().memory();
            a.connect(b.address());
            b.connect(a.address());
            MemorySegment data = arena.allocate(largest, 4096);
            Map<String, ToDoubleFunction<MemorySegment>> ways = new LinkedHashMap<>();
            // Changes the page tables of the process and of the device, and changes them back.
            ways.put("register each time", source -> registered(domain, a, there, source, Set.of()));
            // A lookup in a table finds that this memory is already registered.
            ways.put(
                    "cache",
                    source -> measuring.median(() -> {
                        try (RegisteredBuffer buffer = cache.lease(source)) {
                            write(a, there, source, buffer.lkey());
                        }
                    }));
            // Good for small amounts of memory: a large copy displaces data in the processor's caches.
            ways.put(
                    "copy",
                    source -> measuring.median(() -> {
                        a.memory.segment().copyFrom(source);
                        write(a, there, a.memory.segment().asSlice(0, source.byteSize()), a.memory.lkey());
                    }));
            ways.put("registered once", source -> {
                try (MemoryRegion region = domain.register(source, EnumSet.noneOf(AccessFlag.class))) {
                    return measuring.median(() -> write(a, there, source, region.lkey()));
                }
            });
            if (context.queryDeviceExtended().rcOnDemand().contains(OnDemandOperation.WRITE)) {
                // No page is pinned. Registering costs little, and the device requests each page that is missing.
                ways.put(
                        "on demand each time",
                        source -> registered(domain, a, there, source, EnumSet.of(AccessFlag.ON_DEMAND)));
            } else {
                System.out.println("on demand is skipped: this device does not fault pages in, see devinfo -v");
            }
            DeviceAttributes attributes = context.queryDevice();
            if (attributes.hasMemoryWindowsOfType2() && attributes.hasInvalidation()) {
                ways.put("window each time", source -> windowed(domain, a, b, source));
            } else {
                System.out.println("window is skipped: this device has no memory windows of type 2, see devinfo -v");
            }
            measure(ways, data);
        }
        return 0;
    }

    private void measure(Map<String, ToDoubleFunction<MemorySegment>> ways, MemorySegment data) {
        List<String> names = new ArrayList<>(ways.keySet());
        Table table = new Table("learn-registration", "bytes", "us for a write, median", names);
        for (int size = SMALLEST; size <= largest; size *= 4) {
            MemorySegment source = data.asSlice(0, size);
            table.row(
                    size,
                    ways.values().stream()
                            .mapToDouble(way -> way.applyAsDouble(source))
                            .toArray());
        }
        table.finish(measuring.output);
    }

    private double registered(
            ProtectionDomain domain, Side a, RemoteMemory there, MemorySegment source, Set<AccessFlag> access) {
        return measuring.median(() -> {
            try (MemoryRegion region = domain.register(source, access)) {
                write(a, there, source, region.lkey());
            }
        });
    }

    /**
     * Measures memory that the peer opens for one write and then closes again. The memory stays registered, without
     * access for other peers.
     */
    private double windowed(ProtectionDomain domain, Side a, Side b, MemorySegment source) {
        try (MemoryRegion from = domain.register(source, Set.of());
                OpenedMemory target = new OpenedMemory(domain, b, source.byteSize())) {
            return measuring.median(() -> {
                write(a, target.open(), source, from.lkey());
                target.shut();
            });
        }
    }

    private static void write(Side a, RemoteMemory there, MemorySegment source, int lkey) {
        a.sends.clear();
        a.sends
                .add(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(there.address(), there.rkey())
                .signaled()
                .entry(source.address(), (int) source.byteSize(), lkey);
        a.post();
        a.await(1);
    }
}
