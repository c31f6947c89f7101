package io.rdma.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.JavaProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;

/** A group on loopback: both members have software devices. */
@Tag("link")
class MulticastProcessTest extends MulticastContract {
    private InetAddress one;
    private InetAddress other;
    private InetSocketAddress group;

    @Override
    void assumePossible() throws UnknownHostException {
        // Linux has all of 127/8. Other tests have other addresses and other groups.
        assumeTrue(
                System.getProperty("os.name").startsWith("Linux"), "only Linux has more loopback addresses than one");
        ThreadLocalRandom random = ThreadLocalRandom.current();
        byte[] ip = {127, (byte) random.nextInt(1, 255), (byte) random.nextInt(1, 255), 1};
        one = InetAddress.getByAddress(ip);
        group = new InetSocketAddress("239.77." + (ip[1] & 0xff) + "." + (ip[2] & 0xff), 0);
        ip[3] = 2;
        other = InetAddress.getByAddress(ip);
        assumeTrue(
                FaultySoft.isFree(one) && FaultySoft.isFree(other),
                "somebody else has the UDP port of RoCE, on all addresses");
    }

    @Override
    CmEventChannel channel() {
        return CmEventChannel.of(FaultySoft.at(one));
    }

    @Override
    InetAddress own() {
        return one;
    }

    @Override
    InetSocketAddress group() {
        return group;
    }

    @Override
    JavaProcess member() throws IOException {
        return new JavaProcess(
                MulticastMember.class,
                other.getHostAddress(),
                group.getAddress().getHostAddress());
    }
}
