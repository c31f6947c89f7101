package io.rdma.samples.learn;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.buffer.RegistrationCache;
import io.rdma.samples.DeviceOption;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.WorkRequestOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What it costs to have the device use the application's memory: registering it each time, once, through a cache, or copying into memory that is registered. */
@Command(
        name = "registration",
        mixinStandardHelpOptions = true,
        description = "A write of the application's memory: registered each time, once, by a cache, or copied.")
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
        Table table = new Table(
                "learn-registration",
                "bytes",
                "us for a write, median",
                List.of("register each time", "cache", "copy", "registered once"));
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                RegistrationCache cache = new RegistrationCache(domain, 2L * largest);
                Side a = new Side(context, domain, largest);
                Side b = new Side(context, domain, largest);
                Arena arena = Arena.ofShared()) {
            Address toB = b.address();
            a.connect(toB);
            b.connect(a.address());
            MemorySegment data = arena.allocate(largest, 4096);
            for (int size = SMALLEST; size <= largest; size *= 4) {
                MemorySegment source = data.asSlice(0, size);
                // The page tables of the process and of the device are changed, and changed back.
                double each = measuring.median(() -> {
                    try (MemoryRegion region = domain.register(source, EnumSet.noneOf(AccessFlag.class))) {
                        write(a, toB, source, region.lkey());
                    }
                });
                // A look into a table says that this memory is registered already.
                double cached = measuring.median(() -> {
                    try (RegisteredBuffer buffer = cache.lease(source)) {
                        write(a, toB, source, buffer.lkey());
                    }
                });
                // Good for little memory: the processor's caches feel it.
                double copied = measuring.median(() -> {
                    a.memory.segment().copyFrom(source);
                    write(a, toB, a.memory.segment().asSlice(0, source.byteSize()), a.memory.lkey());
                });
                double once;
                try (MemoryRegion region = domain.register(source, EnumSet.noneOf(AccessFlag.class))) {
                    once = measuring.median(() -> write(a, toB, source, region.lkey()));
                }
                table.row(size, each, cached, copied, once);
            }
        }
        table.finish(measuring.output);
        return 0;
    }

    private static void write(Side a, Address toB, MemorySegment source, int lkey) {
        a.sends.clear();
        a.sends
                .add(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(toB.memory().address(), toB.memory().rkey())
                .signaled()
                .entry(source.address(), (int) source.byteSize(), lkey);
        a.post();
        a.await(1);
    }
}
