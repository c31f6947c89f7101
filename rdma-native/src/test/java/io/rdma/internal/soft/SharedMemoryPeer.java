package io.rdma.internal.soft;

import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.testing.JavaProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.HexFormat;

/** Process with a queue pair that receives whatever is sent, until it is killed. */
final class SharedMemoryPeer {
    private static final int PSN = 1000;
    private static final int RECEIVES = 128;

    private SharedMemoryPeer() {}

    /**
     * Starts the process.
     *
     * @param side to which its queue pair is connected
     * @param port of its device; 0 for a free one
     */
    static JavaProcess started(SoftSide side, int port) throws IOException {
        return new JavaProcess(
                SharedMemoryPeer.class,
                Integer.toString(port),
                HexFormat.of().formatHex(side.gid()),
                Integer.toString(side.qp.qpNum()));
    }

    /** Connects a side to the process. Returns the port of its device. */
    static int connect(SoftSide side, JavaProcess process) throws InterruptedException {
        String[] peer = process.await("peer").split(" ");
        side.connect(HexFormat.of().parseHex(peer[0]), Integer.parseInt(peer[1]), PSN);
        return Integer.parseInt(peer[2]);
    }

    /** Takes the port, the GID and the number of the queue pair that it connects to. */
    public static void main(String[] arguments) throws IOException {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        SoftSide side = new SoftSide(Arena.global(), SoftConfig.at(loopback, Integer.parseInt(arguments[0])));
        side.connect(HexFormat.of().parseHex(arguments[1]), Integer.parseInt(arguments[2]), PSN);
        for (int i = 0; i < RECEIVES; i++) {
            side.receive(i, 0, 64);
        }
        System.out.println("peer " + HexFormat.of().formatHex(side.gid()) + " " + side.qp.qpNum() + " "
                + side.verbs.address().getPort());
        for (int i = 0; ; i++) {
            while (side.poll() == 0) {
                Thread.onSpinWait();
            }
            side.receive(i, 0, 64);
        }
    }
}
