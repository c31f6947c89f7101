package io.rdma.interop;

import io.rdma.types.AccessFlag;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.Mtu;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.RdmaDevices;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One end of a test between two processes, such as {@link EveryOperation}: a connected queue pair with its region, and
 * a TCP connection over which the processes coordinate.
 */
final class Side implements AutoCloseable {
    /** Number of requests posted at a time. */
    static final int DEPTH = 64;

    /** Number of reads and atomics in flight at a time. */
    private static final int ANSWERS = 4;

    private static final int QKEY = 0x2468_ace0;
    private static final int RETRANSMIT_AFTER = 14; // 67 ms
    private static final int RNR_WAIT = 12; // 0.64 ms
    private static final int POLLS_BEFORE_SLEEP = 10;
    private static final long PATIENCE_NANOS = 240_000_000_000L;

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final GidTableEntry gid;
    private final int peerNumber;
    private final @Nullable AddressHandle path; // only for datagrams
    final Mtu mtu; // the smaller of both ends
    private final CompletionBatch batch = new CompletionBatch(1);
    final SendChain sends = new SendChain(DEPTH, 1);
    final ReceiveChain receives = new ReceiveChain(DEPTH, 1);
    final boolean postsPlacement; // whether ATOMIC WRITE from this end to the other is possible
    final boolean answersPlacement; // and from the other end
    final MemoryRegion region;
    final RemoteMemory remote;
    final DataInputStream in;
    final DataOutputStream out;

    /** Creates an end with a reliable connection. */
    Side(String device, Socket control, long bytes) throws IOException {
        this(device, QueuePairType.RC, control, bytes);
    }

    Side(String device, QueuePairType type, Socket control, long bytes) throws IOException {
        in = new DataInputStream(control.getInputStream());
        out = new DataOutputStream(control.getOutputStream());
        context = RdmaDevices.named(device).open();
        domain = context.allocateProtectionDomain();
        channel = context.createCompletionChannel();
        queue = context.createCompletionQueue(2 * DEPTH, channel);
        Set<AccessFlag> access = EnumSet.range(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
        region = domain.allocate(bytes, access);
        QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, DEPTH, 1, 1, 0);
        pair = domain.createQueuePair(type, queue, queue, null, capacity, PostingInterface.BOTH);
        gid = gid(control.getLocalAddress());
        int psn = new SecureRandom().nextInt(1 << 24);

        Mtu mtu = context.queryPort(1).activeMtu();
        out.writeInt(pair.number());
        out.writeInt(psn);
        out.writeInt(mtu.code());
        out.write(gid.gid().bytes());
        out.writeLong(region.remote().address());
        out.writeInt(region.rkey());
        boolean answers = context.queryDeviceExtended().capabilities().contains(DeviceCapability.ATOMIC_WRITE);
        boolean posts = pair.operations().contains(WorkRequestOpcode.ATOMIC_WRITE);
        out.writeBoolean(answers);
        out.writeBoolean(posts);
        out.flush();
        peerNumber = in.readInt();
        int peerPsn = in.readInt();
        this.mtu = mtu.min(Mtu.of(in.readInt()));
        Gid peer = Gid.of(in.readNBytes(16));
        remote = new RemoteMemory(in.readLong(), bytes, in.readInt());
        postsPlacement = in.readBoolean() && posts;
        answersPlacement = in.readBoolean() && answers;

        QueuePairAttributes init =
                QueuePairAttributes.toState(QueuePairState.INIT).pkeyIndex(0).port(1);
        if (type == QueuePairType.UD) {
            pair.modify(init.qkey(QKEY));
            pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
            pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(psn));
            path = domain.createAddressHandle(AddressHandleAttributes.of(GlobalRoute.to(peer, gid.index()), 1));
        } else {
            pair.modify(init.access(access));
            connect(type, peer, peerPsn, psn);
            path = null;
        }
        System.out.println(device + " " + gid.gid() + ", " + type + ", path MTU " + this.mtu.bytes());
        meet();
    }

    private void connect(QueuePairType type, Gid peer, int peerPsn, int psn) {
        QueuePairAttributes rtr = QueuePairAttributes.toState(QueuePairState.RTR)
                .path(1, gid.index(), peer, 0)
                .pathMtu(mtu)
                .destQpNum(peerNumber)
                .rqPsn(peerPsn);
        QueuePairAttributes rts =
                QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(psn);
        if (type == QueuePairType.RC) {
            rtr.maxDestRdAtomic(ANSWERS).minRnrTimer(RNR_WAIT);
            rts.timeout(RETRANSMIT_AFTER).retryCnt(7).rnrRetry(7).maxRdAtomic(ANSWERS);
        }
        pair.modify(rtr);
        pair.modify(rts);
    }

    /** Sets the destination of the request that was added last, if the transport needs one. */
    void address() {
        AddressHandle to = path;
        if (to != null) {
            sends.destination(to, peerNumber, QKEY);
        }
    }

    /** Returns the number of bytes in front of received data: those of the route of a datagram, else 0. */
    int inFront() {
        return path == null ? 0 : GlobalRoutingHeader.BYTES;
    }

    private GidTableEntry gid(InetAddress address) {
        return context.queryGidTable().stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2)
                .min(Comparator.comparing(entry -> !entry.gid().toAddress().equals(address)))
                .orElseThrow();
    }

    MemorySegment memory(long offset, long length) {
        return region.segment().asSlice(offset, length);
    }

    long address(long offset) {
        return region.segment().address() + offset;
    }

    /** Waits until the peer has reached the same point. */
    void meet() throws IOException {
        out.writeByte('.');
        out.flush();
        if (in.readByte() != '.') {
            throw new IOException("the peer is somewhere else");
        }
    }

    void post(SendChain chain) {
        check(pair.post(chain) == 0, "ibv_post_send");
        chain.clear();
    }

    void post(ReceiveChain chain) {
        check(pair.post(chain) == 0, "ibv_post_recv");
        chain.clear();
    }

    /** Awaits the next completion, which must be a success. */
    CompletionBatch await() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (int polls = 1; queue.poll(batch) == 0; polls++) {
            check(System.nanoTime() - deadline < 0, "a completion in time");
            if (polls % POLLS_BEFORE_SLEEP != 0) {
                continue;
            }
            queue.requestNotify(); // then sleep: the peer may need this processor
            if (queue.poll(batch) != 0) {
                break;
            }
            if (channel.await(1000)) {
                channel.takeEvent();
                queue.acknowledge(1);
            }
        }
        check(batch.status(0) == 0, "status " + batch.status(0) + " of request " + batch.wrId(0));
        return batch;
    }

    /** Waits for a condition that no completion signals. */
    void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            check(System.nanoTime() - deadline < 0, what);
            Thread.yield();
        }
    }

    /** Checks that there are no further completions. */
    void none() {
        check(queue.poll(batch) == 0, "no completion too many");
    }

    static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError("wrong: " + Objects.requireNonNull(what));
        }
    }

    @Override
    public void close() {
        if (path != null) {
            path.close();
        }
        pair.close();
        region.close();
        queue.close();
        channel.close();
        domain.close();
        context.close();
    }
}
