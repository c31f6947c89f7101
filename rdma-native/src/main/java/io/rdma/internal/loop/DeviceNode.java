package io.rdma.internal.loop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.stream.Stream;

/** NUMA node of a device as Linux reports it in {@code sysfs(5)}. */
final class DeviceNode {
    private static final int MOST = 8192; // processors that Linux can have

    private DeviceNode() {}

    /**
     * Returns the processors of a device's node.
     *
     * @param sysfs where it is mounted, {@code /sys}
     * @return empty if the host has one node, or does not say which node is the device's
     */
    static BitSet processors(Path sysfs, String device) {
        Path nodes = sysfs.resolve("devices/system/node");
        Path ofDevice = sysfs.resolve("class/infiniband").resolve(device).resolve("device/numa_node");
        try {
            if (!Files.isRegularFile(ofDevice) || count(nodes) < 2) {
                return new BitSet();
            }
            int node = Integer.parseInt(Files.readString(ofDevice).strip());
            return node < 0
                    ? new BitSet()
                    : parse(Files.readString(nodes.resolve("node" + node).resolve("cpulist")));
        } catch (IOException | UncheckedIOException | NumberFormatException e) {
            System.getLogger(DeviceNode.class.getName())
                    .log(System.Logger.Level.DEBUG, "the NUMA node of " + device + " is unknown", e);
            return new BitSet();
        }
    }

    private static long count(Path nodes) throws IOException {
        if (!Files.isDirectory(nodes)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(nodes)) {
            return all.filter(one -> one.getFileName().toString().matches("node\\d+"))
                    .count();
        }
    }

    /**
     * Reads a list such as {@code 0-3,8-11}.
     *
     * @throws NumberFormatException if it is something else
     */
    static BitSet parse(String list) {
        BitSet processors = new BitSet();
        for (String range : list.strip().split(",")) {
            if (!range.isEmpty()) {
                String[] ends = range.split("-", 2);
                int first = Integer.parseInt(ends[0].strip());
                int last = Integer.parseInt(ends[ends.length - 1].strip());
                if (first < 0 || first > last || last >= MOST) {
                    throw new NumberFormatException("not a range of processors: " + range);
                }
                processors.set(first, last + 1);
            }
        }
        return processors;
    }
}
