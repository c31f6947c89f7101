package io.rdma.internal.soft.wire;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Conversion between GIDs and UDP addresses. The GID of a software device is the address of its UDP socket. On port
 * 4791 it is the plain address (IPv6, or IPv4-mapped). The GID of an IPv4 address on another port carries the port:
 * bytes 0-7 zero, 8-9 port, 10-11 0xffff, 12-15 address. So several devices share a host without privileges.
 */
public final class SoftAddress {
    public static final int ROCE_PORT = 4791;

    private SoftAddress() {}

    public static byte[] gid(InetSocketAddress address) {
        byte[] gid = new byte[16];
        byte[] ip = address.getAddress().getAddress();
        if (address.getAddress() instanceof Inet6Address) {
            return ip.clone();
        }
        int port = address.getPort() == ROCE_PORT ? 0 : address.getPort();
        gid[8] = (byte) (port >> 8);
        gid[9] = (byte) port;
        gid[10] = (byte) 0xff;
        gid[11] = (byte) 0xff;
        System.arraycopy(ip, 0, gid, 12, 4);
        return gid;
    }

    /**
     * Returns the address at which the device of a GID listens.
     *
     * @throws VerbsException EINVAL if the GID is not an address
     */
    public static InetSocketAddress of(byte[] gid) {
        try {
            boolean ipv4 = gid[10] == -1 && gid[11] == -1;
            for (int i = 0; i < 8; i++) {
                ipv4 &= gid[i] == 0;
            }
            if (ipv4) {
                int port = (gid[8] & 0xff) << 8 | gid[9] & 0xff;
                InetAddress ip = Inet4Address.getByAddress(java.util.Arrays.copyOfRange(gid, 12, 16));
                return new InetSocketAddress(ip, port == 0 ? ROCE_PORT : port);
            }
            return new InetSocketAddress(InetAddress.getByAddress(gid), ROCE_PORT);
        } catch (UnknownHostException e) {
            throw new VerbsException("ibv_modify_qp", Errno.EINVAL, "The destination GID is not an IP address");
        }
    }
}
