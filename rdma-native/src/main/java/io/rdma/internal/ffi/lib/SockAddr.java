package io.rdma.internal.ffi.lib;

import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** {@code struct sockaddr_in} and {@code struct sockaddr_in6} of Linux, in native memory. */
final class SockAddr {
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int IN_SIZE = 16;
    static final int IN6_SIZE = 28;
    static final int PORT = 2;
    static final int IN_ADDR = 4;
    static final int IN6_ADDR = 8;
    static final int IN6_SCOPE_ID = 24;

    private static final ValueLayout.OfShort PORT_BE = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SockAddr() {}

    /**
     * Allocates and writes an address.
     *
     * @return the address of the structure
     */
    static long write(SegmentAllocator in, InetSocketAddress value) {
        InetAddress address = value.getAddress();
        boolean v6 = address instanceof Inet6Address;
        MemorySegment at = in.allocate(v6 ? IN6_SIZE : IN_SIZE, 8).fill((byte) 0);
        at.set(ValueLayout.JAVA_SHORT, 0, (short) (v6 ? AF_INET6 : AF_INET));
        at.set(PORT_BE, PORT, (short) value.getPort());
        byte[] bytes = address.getAddress();
        MemorySegment.copy(bytes, 0, at, ValueLayout.JAVA_BYTE, v6 ? IN6_ADDR : IN_ADDR, bytes.length);
        if (address instanceof Inet6Address scoped) {
            at.set(ValueLayout.JAVA_INT, IN6_SCOPE_ID, scoped.getScopeId());
        }
        return at.address();
    }

    /**
     * Reads an address.
     *
     * @return null if there is none, or if it is of another family
     */
    static @Nullable InetSocketAddress read(long at) {
        int family = at == 0 ? 0 : NativeMemory.getShort(at);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        byte[] bytes = new byte[family == AF_INET6 ? 16 : 4];
        int offset = family == AF_INET6 ? IN6_ADDR : IN_ADDR;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = NativeMemory.getByte(at + offset + i);
        }
        int port = Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(at + PORT)));
        try {
            int scope = family == AF_INET6 ? NativeMemory.getInt(at + IN6_SCOPE_ID) : 0;
            InetAddress address =
                    scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
