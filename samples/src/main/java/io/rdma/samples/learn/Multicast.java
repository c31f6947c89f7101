package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.samples.support.LocalGid;
import io.rdma.types.AccessFlag;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Datagrams to a multicast group. One send reaches every attached queue pair with a copy. A copy may be lost without
 * notice to any side.
 */
@Command(
        name = "multicast",
        mixinStandardHelpOptions = true,
        description = "Send one datagram to a group, and show which members received it.")
final class Multicast implements Callable<Integer> {
    private static final int GROUP_QPN = 0xffffff; // destination of every multicast datagram
    private static final int QKEY = 0x1234; // datagrams with another key are dropped
    private static final int ROUTE = 40; // in front of every received datagram: the route that it came by
    private static final int BYTES = 256;

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(names = "--group", defaultValue = "239.77.77.1", description = "IPv4 group; default: ${DEFAULT-VALUE}.")
    private String group = "239.77.77.1";

    @Option(names = "--members", defaultValue = "3", description = "Receivers; default: ${DEFAULT-VALUE}.")
    private int members = 3;

    @Override
    public Integer call() throws IOException {
        InetAddress address = InetAddress.getByName(group);
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(members + 2, null);
                MemoryRegion memory =
                        domain.allocate((long) (members + 1) * BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE))) {
            GidTableEntry gid = LocalGid.of(context, Steps.PORT);
            Gid target = Gid.of(address);
            List<QueuePair> pairs = new ArrayList<>();
            try (MulticastSocket host = join(address, gid.gid().toAddress());
                    QueuePair sender = datagrams(domain, queue);
                    AddressHandle path = domain.createAddressHandle(
                            AddressHandleAttributes.of(GlobalRoute.to(target, gid.index()), 1))) {
                System.out.println("the host is a member too, by a socket with port " + host.getLocalPort());
                for (int i = 0; i < members; i++) {
                    QueuePair member = datagrams(domain, queue);
                    pairs.add(member);
                    ReceiveChain receive = new ReceiveChain(1, 1);
                    receive.clear();
                    receive.add(i).entry(memory.segment().address() + (long) i * BYTES, BYTES, memory.lkey());
                    Side.posted("ibv_post_recv", member.post(receive));
                    member.attachMulticast(target, 0);
                }
                long text = (long) members * BYTES;
                memory.segment().setString(text, "hello, group " + group);
                SendChain send = new SendChain(1, 1);
                send.clear();
                send.add(members, WorkRequestOpcode.SEND)
                        .destination(path, GROUP_QPN, QKEY)
                        .signaled()
                        .entry(memory.segment().address() + text, 64, memory.lkey());
                Side.posted("ibv_post_send", sender.post(send));
                int received = listen(queue, memory);
                System.out.println(received + " of " + members + " members heard it");
                pairs.forEach(member -> member.detachMulticast(target, 0));
                return received == members ? 0 : 1;
            } finally {
                pairs.forEach(QueuePair::close);
            }
        }
    }

    /** Creates a datagram queue pair. It needs no peer: only its key and the number of its first packet are set. */
    private static QueuePair datagrams(ProtectionDomain domain, CompletionQueue queue) {
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, queue, queue, new QueuePairCapacity(1, 1, 1, 1, 0));
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .qkey(QKEY));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(0));
        return pair;
    }

    /**
     * Joins the group by the host's network stack too. On Ethernet, the network interface would otherwise not accept
     * the group's frames. RDMA CM does the same.
     */
    private static MulticastSocket join(InetAddress group, InetAddress local) throws IOException {
        MulticastSocket socket = new MulticastSocket(0);
        NetworkInterface device = NetworkInterface.getByInetAddress(local);
        if (device != null && device.supportsMulticast()) {
            socket.joinGroup(new InetSocketAddress(group, 0), device);
        }
        return socket;
    }

    /**
     * Waits for the completion of the send and for a copy for each member. The wait is limited, since a lost copy
     * never arrives.
     */
    private int listen(CompletionQueue queue, MemoryRegion memory) {
        CompletionBatch batch = new CompletionBatch(members + 1);
        long deadline = System.nanoTime() + 30_000_000_000L;
        int received = 0;
        for (int done = 0; done <= members && System.nanoTime() - deadline < 0; ) {
            int polled = queue.poll(batch);
            for (int i = 0; i < polled; i++) {
                Side.posted("completion", batch.status(i));
                if (batch.wrId(i) < members) {
                    received++;
                    System.out.println("member " + batch.wrId(i) + ", from queue pair " + batch.sourceQueuePair(i)
                            + ": " + memory.segment().getString(batch.wrId(i) * BYTES + ROUTE));
                }
            }
            done += Math.max(0, polled);
        }
        return received;
    }
}
