package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.JavaProcess;
import io.rdma.testing.NewestFirst;
import io.rdma.types.PortSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of a multicast group on the wire. One member is in this process, the other one in a process with a software
 * device on an IP address of its own.
 */
abstract class MulticastContract {
    private final NewestFirst opened = new NewestFirst();

    /** Skips the test where it cannot run. Called first. */
    abstract void assumePossible() throws Exception;

    /** Returns the event channel of the device in this process. */
    abstract CmEventChannel channel() throws Exception;

    /** Returns the address of that device. */
    abstract InetAddress own();

    /** Returns the group. */
    abstract InetSocketAddress group();

    /** Starts {@link MulticastMember} for the group. */
    abstract JavaProcess member() throws IOException;

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    @Test
    void twoProcessesExchangeDatagramsInAGroup() throws Exception {
        assumePossible();
        CmEventChannel channel = opened.later(channel());
        CmIdentifier member = opened.later(channel.createIdentifier(PortSpace.UDP));
        member.bind(new InetSocketAddress(own(), 0));
        CmEnd end = opened.later(CmEnd.of(member));
        CmEvent joined = MulticastMember.join(channel, member, group());
        try (JavaProcess process = member()) {
            process.await("joined");
            end.sendTo(joined, "to all"); // its own copy finds no receive
            process.await("heard");
            end.postReceive();
            process.enter();
            assertThat(end.receiveDatagram()).isEqualTo("heard: to all");
            process.ended(0);
        }
        member.leaveMulticast(group());
    }
}
