package io.rdma.internal.soft;

import io.rdma.internal.ffi.Verbs;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.function.BooleanSupplier;

/** Software devices of their own, which talk over UDP and whose links are bad, for tests of the layers above. */
public final class FaultySoft {
    private FaultySoft() {}

    /** See {@link SoftFaults}. */
    public static Verbs create(double loss, double duplicate, double reorder, long seed) {
        return new SoftVerbs(SoftConfig.loopback().withFaults(new SoftFaults(loss, duplicate, reorder, seed)));
    }

    /** A device whose link is up and down. */
    public static Verbs create(BooleanSupplier down) {
        return new SoftVerbs(SoftConfig.loopback().withFaults(new SoftFaults(0, 0, 0, 0, down)));
    }

    /** A device that has its IP address to itself, on UDP port 4791. */
    public static Verbs at(InetAddress address) {
        return new SoftVerbs(new SoftConfig(address, SoftAddress.ROCE_PORT, new FaultPlan(SoftFaults.NONE)));
    }

    /** Whether {@link #at} finds its port free there. */
    public static boolean isFree(InetAddress address) {
        try (DatagramSocket probe = new DatagramSocket(new InetSocketAddress(address, SoftAddress.ROCE_PORT))) {
            return probe.isBound();
        } catch (SocketException e) {
            return false;
        }
    }
}
