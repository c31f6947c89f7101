package io.rdma.samples.files;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Server of a mapped file. Its CPU takes no part when a client reads. */
final class FileServer {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private FileServer() {}

    static void run(RdmaDevice device, String host, int port, Path file) throws IOException {
        // Closed in the opposite order: the arena last, when the device no longer uses its memory.
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                RdmaResources resources = RdmaResources.open(device)) {
            // Nobody writes. Linux before 6.2 cannot register a mapping that is READ_ONLY.
            MemorySegment mapped = channel.map(MapMode.PRIVATE, 0, channel.size(), arena);
            try (MemoryRegion region = resources.domain().register(mapped, access(resources))) {
                DisposableServer server = RdmaServer.create()
                        .resources(resources)
                        .host(host)
                        .port(port)
                        .handle(connection -> connection
                                .send(RemoteMemory.ENCODED_BYTES, region.remote()::encode)
                                .then(connection.onDispose()))
                        .bindNow(PATIENCE);
                System.out.println("listening on port " + server.port());
                server.onDispose().block();
            }
        }
    }

    /** Returns the right to read, on demand where the device can: so a file that is cut fails the read alone. */
    private static Set<AccessFlag> access(RdmaResources resources) {
        ExtendedDeviceAttributes attributes = resources.context().queryDeviceExtended();
        boolean onDemand = attributes.onDemand() && attributes.rcOnDemand().contains(OnDemandOperation.READ);
        return onDemand ? EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.ON_DEMAND) : EnumSet.of(AccessFlag.REMOTE_READ);
    }
}
