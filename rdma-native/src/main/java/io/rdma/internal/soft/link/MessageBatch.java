package io.rdma.internal.soft.link;

import static io.rdma.internal.os.LinuxSockets.*;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.LinuxSockets;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import java.lang.foreign.Arena;

// Layouts of 64-bit Linux: struct mmsghdr = msghdr { name 0, namelen 8, iov 16, iovlen 24, control 32, controllen 40,
// flags 48 }, len 56; struct iovec { base 0, len 8 }; struct cmsghdr { len 0, level 8, type 12, data 16 }; struct
// sockaddr_in { family 0, port 2, addr 4 }; struct sockaddr_in6 { family 0, port 2, flowinfo 4, addr 8, scope 24 }.

/**
 * The arrays of messages for {@code sendmmsg(2)} and {@code recvmmsg(2)}, each message with one buffer, one address and
 * control messages: instructions to the kernel when sending, its reports when receiving.
 */
final class MessageBatch {
    private static final int HEADER = 64;
    private static final int NAME_LENGTH = 8;
    private static final int IOV = 16;
    private static final int IOV_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int RECEIVED = 56;
    private static final int IOVEC = 16;
    private static final int ADDRESS = 32;
    private static final int IN_BYTES = 16;
    private static final int IN6_BYTES = 28;
    /** Bytes of one control message with a number. */
    private static final int CONTROL_ONE = 24;
    /** Traffic class, hop limit and segmentation. */
    private static final int CONTROL_SPACE = 3 * CONTROL_ONE;

    private static final int CONTROL_HEADER = 16;
    private static final int MAX_SEGMENTS = 60;
    private static final int MAX_GLUED = 60_000;

    private final int capacity;
    private final int scope;
    private final long headers;
    private final long vectors;
    private final long addresses;
    private final long controls;
    private final int[] datagrams;
    private final int[] controlBytes; // of each message
    private final UdpAddress lastTo = new UdpAddress();
    private int size;
    private int cut; // length of the datagrams of the last message
    private int bytes; // of the last message
    private boolean closed; // its last datagram was shorter, or the kernel must not segment it
    private final boolean[] usual; // whether each message has the usual headers
    private boolean segments = true; // as long as the kernel accepts segmentation
    private boolean segmentsOthers =
            true; // the same, of messages with other headers, which it may refuse by themselves

    MessageBatch(Arena arena, int capacity, int scope) {
        this.capacity = capacity;
        this.scope = scope;
        headers = LinuxSockets.allocate(arena, (long) capacity * HEADER);
        vectors = LinuxSockets.allocate(arena, (long) capacity * IOVEC);
        addresses = LinuxSockets.allocate(arena, (long) capacity * ADDRESS);
        controls = LinuxSockets.allocate(arena, (long) capacity * CONTROL_SPACE);
        datagrams = new int[capacity];
        controlBytes = new int[capacity];
        usual = new boolean[capacity];
        for (int i = 0; i < capacity; i++) {
            long header = headers + (long) i * HEADER;
            NativeMemory.putLong(header, addressOf(i));
            NativeMemory.putLong(header + IOV, vectors + (long) i * IOVEC);
            NativeMemory.putLong(header + IOV_COUNT, 1);
            NativeMemory.putLong(header + CONTROL, controls + (long) i * CONTROL_SPACE);
            prepare(i);
        }
    }

    long addressOf(int i) {
        return addresses + (long) i * ADDRESS;
    }

    void buffer(int i, long at, long length) {
        NativeMemory.putLong(vectors + (long) i * IOVEC, at);
        NativeMemory.putLong(vectors + (long) i * IOVEC + 8, length);
    }

    static int addressBytes(UdpAddress of) {
        return of.ipv6 ? IN6_BYTES : IN_BYTES;
    }

    void address(int i, UdpAddress to) {
        long at = addressOf(i);
        NativeMemory.putShort(at, (short) (to.ipv6 ? AF_INET6 : AF_INET));
        NativeMemory.putShort(at + 2, Short.reverseBytes((short) to.port));
        if (to.ipv6) {
            NativeMemory.putInt(at + 4, Integer.reverseBytes(to.flowLabel));
            NativeMemory.putLong(at + 8, Long.reverseBytes(to.high));
            NativeMemory.putLong(at + 16, Long.reverseBytes(to.low));
            NativeMemory.putInt(at + 24, scope);
        } else {
            NativeMemory.putInt(at + 4, Integer.reverseBytes((int) to.low));
        }
    }

    void addressInto(int i, UdpAddress from) {
        long at = addressOf(i);
        from.ipv6 = NativeMemory.getShort(at) == AF_INET6;
        from.port = Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(at + 2)));
        from.high = from.ipv6 ? Long.reverseBytes(NativeMemory.getLong(at + 8)) : 0;
        from.low = from.ipv6
                ? Long.reverseBytes(NativeMemory.getLong(at + 16))
                : Integer.toUnsignedLong(Integer.reverseBytes(NativeMemory.getInt(at + 4)));
    }

    /** Calls {@code getsockname(2)} into the first address. */
    int localName(int fd) {
        long length = headers + RECEIVED;
        NativeMemory.putInt(length, ADDRESS);
        return getsockname(fd, addressOf(0), length);
    }

    boolean full() {
        return size == capacity;
    }

    int size() {
        return size;
    }

    int datagrams(int i) {
        return datagrams[i];
    }

    void clear() {
        size = 0;
    }

    /**
     * Adds a datagram that follows the previous one in memory. Appends it to that one's message if the kernel can
     * segment the message again.
     */
    void add(long at, int length, UdpAddress to) {
        if (size > 0 && !closed && length <= cut && bytes + length <= MAX_GLUED && same(to)) {
            int last = size - 1;
            if (datagrams[last] < MAX_SEGMENTS) {
                bytes += length;
                NativeMemory.putLong(vectors + (long) last * IOVEC + 8, bytes);
                if (datagrams[last]++ == 1) {
                    control(last, SOL_UDP, UDP_SEGMENT, Short.BYTES, cut);
                }
                closed = length < cut;
                return;
            }
        }
        int i = size++;
        address(i, to);
        buffer(i, at, length);
        datagrams[i] = 1;
        long header = headers + (long) i * HEADER;
        NativeMemory.putInt(header + NAME_LENGTH, addressBytes(to));
        NativeMemory.putLong(header + CONTROL_LENGTH, 0);
        controlBytes[i] = 0;
        usual[i] = to.hasUsualHeaders();
        if (!usual[i]) {
            control(i, to);
        }
        cut = length;
        bytes = length;
        // The kernel numbers the IPv4 headers of its segments; the ICRC, which other devices check, covers the number.
        closed = !(usual[i] ? segments : segmentsOthers) || !to.ipv6 && to.port == SoftAddress.ROCE_PORT;
        lastTo.ipv6 = to.ipv6;
        lastTo.high = to.high;
        lastTo.low = to.low;
        lastTo.port = to.port;
        lastTo.headersOf(to);
    }

    private boolean same(UdpAddress to) {
        return lastTo.same(to) && lastTo.sameHeaders(to);
    }

    /** Has the kernel send a message with the fields of the IP headers to an address. */
    private void control(int i, UdpAddress to) {
        int level = to.ipv6 ? SOL_IPV6 : SOL_IP;
        control(i, level, to.ipv6 ? IPV6_TCLASS : IP_TOS, Integer.BYTES, to.trafficClass);
        if (!to.hasUsualHopLimit()) {
            control(i, level, to.ipv6 ? IPV6_HOPLIMIT : IP_TTL, Integer.BYTES, to.hopLimit);
        }
    }

    private void control(int i, int level, int type, int bytes, int value) {
        long at = controls + (long) i * CONTROL_SPACE + controlBytes[i];
        NativeMemory.putLong(at, CONTROL_HEADER + bytes);
        NativeMemory.putInt(at + 8, level);
        NativeMemory.putInt(at + 12, type);
        NativeMemory.putInt(at + CONTROL_HEADER, value); // little-endian, so a short is its first half
        controlBytes[i] += CONTROL_ONE;
        NativeMemory.putLong(headers + (long) i * HEADER + CONTROL_LENGTH, controlBytes[i]);
    }

    /**
     * Sends messages, starting at one of them.
     *
     * @return the number of sent messages, or a negative errno for the first
     */
    int sendFrom(int fd, int first) {
        int result = sendmmsg(fd, headers + (long) first * HEADER, size - first);
        if (result < 0 && result != -EAGAIN && result != -EINTR && datagrams[first] > 1) {
            segmentsOthers = false; // an old kernel, or an interface without support; the transport retries
            segments &= !usual[first];
        }
        return result;
    }

    /**
     * Receives messages.
     *
     * @return the number of messages, or a negative errno
     */
    int receive(int fd) {
        for (; size > 0; size--) { // entries that the last call has written
            prepare(size - 1);
        }
        int result = recvmmsg(fd, headers, capacity);
        size = Math.max(0, result);
        return result;
    }

    private void prepare(int i) {
        long header = headers + (long) i * HEADER;
        NativeMemory.putInt(header + NAME_LENGTH, ADDRESS);
        NativeMemory.putLong(header + CONTROL_LENGTH, CONTROL_SPACE);
    }

    int length(int i) {
        return NativeMemory.getInt(headers + (long) i * HEADER + RECEIVED);
    }

    /** Returns the length of the datagrams in a coalesced received message; 0 if it is a single one. */
    int segment(int i) {
        long at = controls + (long) i * CONTROL_SPACE;
        boolean glued =
                NativeMemory.getLong(headers + (long) i * HEADER + CONTROL_LENGTH) >= CONTROL_HEADER + Integer.BYTES
                        && NativeMemory.getInt(at + 8) == SOL_UDP
                        && NativeMemory.getInt(at + 12) == UDP_GRO;
        return glued ? Math.max(0, NativeMemory.getInt(at + CONTROL_HEADER)) : 0;
    }
}
