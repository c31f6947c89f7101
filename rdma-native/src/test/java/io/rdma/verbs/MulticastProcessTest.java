package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.NewestFirst;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A group on the wire: two processes, each with a software device on an IP address of its own. */
@Tag("link")
class MulticastProcessTest {
    private final NewestFirst opened = new NewestFirst();

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    @Test
    void whatOneProcessSendsToAGroupTheOtherHearsAndBack() throws Exception {
        // Linux has all of 127/8; any other tests have other addresses, and other groups.
        assumeTrue(
                System.getProperty("os.name").startsWith("Linux"), "only Linux has more loopback addresses than one");
        ThreadLocalRandom random = ThreadLocalRandom.current();
        byte[] ip = {127, (byte) random.nextInt(1, 255), (byte) random.nextInt(1, 255), 1};
        InetAddress one = InetAddress.getByAddress(ip);
        InetSocketAddress group = new InetSocketAddress("239.77." + (ip[1] & 0xff) + "." + (ip[2] & 0xff), 0);
        ip[3] = 2;
        InetAddress other = InetAddress.getByAddress(ip);
        assumeTrue(
                FaultySoft.isFree(one) && FaultySoft.isFree(other),
                "somebody else has the UDP port of RoCE, on all addresses");
        CmEventChannel channel = opened.later(CmEventChannel.of(FaultySoft.at(one)));
        CmIdentifier member = opened.later(channel.createIdentifier(PortSpace.UDP));
        member.bind(new InetSocketAddress(one, 0));
        CmEnd end = opened.later(CmEnd.of(member));
        CmEvent joined = MulticastMember.join(channel, member, group);
        try (JavaProcess process = new JavaProcess(
                MulticastMember.class,
                other.getHostAddress(),
                group.getAddress().getHostAddress())) {
            process.await("joined");
            end.sendTo(joined, "to all"); // its own copy finds no receive
            process.await("heard");
            end.postReceive();
            process.enter();
            assertThat(end.receiveDatagram()).isEqualTo("heard: to all");
            process.ended(0);
        }
        member.leaveMulticast(group);
    }
}
