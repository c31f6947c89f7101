package io.rdma.internal.soft;

import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

// Wire, IB spec volume 1 chapter 9 and IBA annex A17: UDP payload = BTH, extended headers, payload, pad to 4 bytes,
// ICRC.
// Whatever does not parse is counted and dropped; nothing is allocated and nothing thrown for a packet.

/** The UDP socket of a software device: packets to datagrams and back. Device thread. */
final class UdpLink implements AutoCloseable {
    /** Packets of one queue pair in flight: 16 of 4 KiB fit a default socket buffer with room for others. */
    static final int WINDOW = 16;

    private static final int MAX_DATAGRAM = 4096 + 128;
    private static final int BTH = 12;
    private static final int SOCKET_BUFFER = 4 << 20;
    private static final int DEFAULT_PKEY = 0xffff;
    /** Of the IP headers that are sent: what Linux writes for an unconnected socket with "don't fragment". */
    private static final int IDENTIFICATION = 0;

    private final DatagramChannel channel;
    private final InetSocketAddress local;
    private final boolean ipv6;
    private final ByteBuffer out = ByteBuffer.allocateDirect(MAX_DATAGRAM);
    private final ByteBuffer in = ByteBuffer.allocateDirect(MAX_DATAGRAM);
    private final MemorySegment outMemory = MemorySegment.ofBuffer(out);
    private final long inAddress = MemorySegment.ofBuffer(in).address();
    private final Icrc icrc = new Icrc(MAX_DATAGRAM);
    private final SoftFaults faults;
    private final SplittableRandom chance;
    private @Nullable ByteBuffer kept; // a packet that the next one overtakes
    private @Nullable InetSocketAddress keptFor;
    private long dropped;

    UdpLink(SoftConfig config, Selector selector) {
        this.faults = config.faults();
        this.chance = new SplittableRandom(faults.seed());
        DatagramChannel opened = null;
        try {
            opened = DatagramChannel.open();
            opened.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            opened.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
            if (opened.supportedOptions().contains(jdk.net.ExtendedSocketOptions.IP_DONTFRAGMENT)) {
                opened.setOption(jdk.net.ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            }
            opened.bind(config.socketAddress());
            opened.configureBlocking(false);
            opened.register(selector, SelectionKey.OP_READ);
            channel = opened;
            local = (InetSocketAddress) opened.getLocalAddress();
            ipv6 = local.getAddress() instanceof Inet6Address;
        } catch (IOException e) {
            closeQuietly(opened);
            int errno = e instanceof BindException ? Errno.EADDRINUSE : Errno.EADDRNOTAVAIL;
            throw new VerbsException(
                    "bind(" + config.socketAddress() + ")",
                    errno,
                    "The software device cannot listen there: " + e.getMessage()
                            + ". Another process, or rdma_rxe, may have" + " UDP port 4791: set -D"
                            + SoftConfig.ADDRESS_PROPERTY + " to another address of this host, or unset it");
        }
    }

    private static void closeQuietly(@Nullable DatagramChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                System.getLogger(UdpLink.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
            }
        }
    }

    InetSocketAddress local() {
        return local;
    }

    /** Datagrams that were no packets. */
    long dropped() {
        return dropped;
    }

    void send(Packet p, InetSocketAddress to) {
        int length = encode(p);
        int crc = icrc.compute(out, length, local, to, IDENTIFICATION);
        out.clear();
        out.order(ByteOrder.LITTLE_ENDIAN).putInt(length, crc).order(ByteOrder.BIG_ENDIAN);
        out.position(0).limit(length + Icrc.BYTES);
        if (faults == SoftFaults.NONE) {
            write(out, to);
        } else {
            sendWithFaults(to);
        }
    }

    private void write(ByteBuffer datagram, InetSocketAddress to) {
        try {
            channel.send(datagram, to); // a full socket buffer loses the packet; the peer or the timer asks again
        } catch (IOException e) {
            dropped++;
        }
    }

    private void sendWithFaults(InetSocketAddress to) {
        if (faults.down().getAsBoolean() || chance.nextDouble() < faults.loss()) {
            return;
        }
        if (kept == null && chance.nextDouble() < faults.reorder()) {
            kept = ByteBuffer.allocate(out.remaining()).put(out).flip();
            keptFor = to;
            return;
        }
        write(out, to);
        if (chance.nextDouble() < faults.duplicate()) {
            write(out.position(0), to);
        }
        ByteBuffer overtaken = kept;
        if (overtaken != null) {
            write(overtaken, Objects.requireNonNull(keptFor));
            kept = null;
        }
    }

    private int encode(Packet p) {
        int pad = -p.payload & 3;
        ByteBuffer b = out;
        b.clear();
        b.put((byte) p.opcode)
                .put((byte) ((p.solicited ? 0x80 : 0) | 0x40 | pad << 4))
                .putShort((short) DEFAULT_PKEY);
        b.putInt(p.destQpn & 0xffffff).putInt((p.ackRequest ? 0x80000000 : 0) | p.psn & Psn.MASK);
        if (Opcode.hasReth(p.opcode)) {
            b.putLong(p.remoteAddress).putInt(p.rkey).putInt((int) p.length);
        }
        if (Opcode.hasImm(p.opcode)) {
            b.putInt(p.imm);
        }
        if (Opcode.hasIeth(p.opcode)) {
            b.putInt(p.invalidate);
        }
        if (Opcode.isAtomic(p.opcode)) {
            b.putLong(p.remoteAddress).putInt(p.rkey).putLong(p.swapAdd).putLong(p.compare);
        }
        if (Opcode.hasAeth(p.opcode)) {
            b.putInt(p.syndrome << 24 | p.msn & 0xffffff);
        }
        if (p.opcode == Opcode.ATOMIC_ACKNOWLEDGE) {
            b.putLong(p.original);
        }
        int header = b.position();
        p.copyOut(0, outMemory.address() + header, p.payload);
        b.position(header + p.payload);
        for (int i = 0; i < pad; i++) {
            b.put((byte) 0);
        }
        return b.position();
    }

    /** Takes one packet off the socket. @return where it came from, or null when the socket is empty */
    @Nullable
    InetSocketAddress receive(Packet into) {
        for (; ; ) {
            in.clear();
            InetSocketAddress from;
            try {
                from = (InetSocketAddress) channel.receive(in);
            } catch (IOException e) {
                return null; // an ICMP error of an earlier send; the socket lives on
            }
            if (from == null) {
                return null;
            }
            in.flip();
            if (decode(into, from)) {
                return from;
            }
            dropped++;
        }
    }

    private boolean decode(Packet p, InetSocketAddress from) {
        int end = in.limit() - Icrc.BYTES;
        if (end < BTH || (end & 3) != 0) {
            return false;
        }
        int opcode = in.get(0) & 0xff;
        int flags = in.get(1);
        int header = Opcode.headerBytes(opcode);
        int pad = flags >> 4 & 3;
        int payload = end - header - pad;
        if (!Opcode.known(opcode)
                || (flags & 0xf) != 0
                || (in.getShort(2) & 0x7fff) != (DEFAULT_PKEY & 0x7fff)
                || payload < 0
                || payload > 0 && !Opcode.hasPayload(opcode)) {
            return false;
        }
        int crc = in.order(ByteOrder.LITTLE_ENDIAN).getInt(end);
        in.order(ByteOrder.BIG_ENDIAN);
        int difference = crc ^ icrc.compute(in, end, from, local, IDENTIFICATION);
        // rdma_rxe and adapters number their datagrams; IPv6 has no such field.
        if (difference != 0 && (ipv6 || icrc.identification(difference, end) == Icrc.DAMAGED)) {
            return false;
        }
        in.clear();
        p.reset(opcode, in.getInt(4) & 0xffffff, in.getInt(8) & Psn.MASK);
        p.solicited = (flags & 0x80) != 0;
        p.ackRequest = in.getInt(8) < 0;
        in.position(BTH);
        if (Opcode.hasReth(opcode)) {
            p.remoteAddress = in.getLong();
            p.rkey = in.getInt();
            p.length = Integer.toUnsignedLong(in.getInt());
        }
        if (Opcode.hasImm(opcode)) {
            p.imm = in.getInt();
        }
        if (Opcode.hasIeth(opcode)) {
            p.invalidate = in.getInt();
        }
        if (Opcode.isAtomic(opcode)) {
            p.remoteAddress = in.getLong();
            p.rkey = in.getInt();
            p.swapAdd = in.getLong();
            p.compare = in.getLong();
        }
        if (Opcode.hasAeth(opcode)) {
            int aeth = in.getInt();
            p.syndrome = aeth >>> 24;
            p.msn = aeth & 0xffffff;
        }
        if (opcode == Opcode.ATOMIC_ACKNOWLEDGE) {
            p.original = in.getLong();
        }
        p.addPiece(inAddress + header, payload);
        return true;
    }

    @Override
    public void close() {
        closeQuietly(channel);
    }
}
