package io.rdma.verbs;

import io.rdma.internal.soft.FaultySoft;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A process that joins a group with a software device of its own, and answers the first message there when Enter is
 * pressed: {@code MulticastMember ADDRESS GROUP}.
 */
@SuppressWarnings("try") // close() of the objects may throw any exception
final class MulticastMember {
    private static final int PATIENCE_MILLIS = 120_000;

    private MulticastMember() {}

    public static void main(String[] args) throws Exception {
        InetAddress own = InetAddress.getByName(args[0]);
        InetSocketAddress group = new InetSocketAddress(args[1], 0);
        try (CmEventChannel channel = CmEventChannel.of(FaultySoft.at(own));
                CmIdentifier member = channel.createIdentifier(PortSpace.UDP)) {
            member.bind(new InetSocketAddress(own, 0));
            try (CmEnd end = CmEnd.of(member)) {
                CmEvent joined = join(channel, member, group);
                end.postReceive();
                System.out.println("joined");
                String received = end.receiveDatagram();
                System.out.println("heard");
                if (System.in.read() < 0) {
                    throw new AssertionError("nobody wants an answer");
                }
                end.sendTo(joined, "heard: " + received);
                member.leaveMulticast(group);
            }
        }
    }

    /** Joins a group and waits until it is joined. */
    static CmEvent join(CmEventChannel channel, CmIdentifier member, InetSocketAddress group) {
        member.joinMulticast(group, false);
        if (!channel.await(PATIENCE_MILLIS)) {
            throw new AssertionError("the group was not joined in time");
        }
        CmEvent event = Objects.requireNonNull(channel.take());
        if (event.type() != CmEventType.MULTICAST_JOIN) {
            throw new AssertionError("the group was not joined: " + event);
        }
        return event;
    }
}
