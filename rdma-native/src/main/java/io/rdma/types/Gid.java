package io.rdma.types;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * A global identifier, 16 bytes in network byte order. It is printed like an IPv6 address. On RoCE version 2 it is the
 * IP address of the port.
 */
public final class Gid {
    private static final int BYTES = 16;

    private final byte[] bytes;

    private Gid(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns the GID with the given 16 bytes.
     *
     * @param bytes copied
     * @return the GID
     * @throws IllegalArgumentException if there are not exactly 16
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + bytes.length);
        }
        return new Gid(bytes.clone());
    }

    /**
     * Returns the GID of an IP address on RoCE version 2.
     *
     * @param address IPv6 address, or IPv4 address, which is mapped to IPv6
     * @return the GID
     */
    public static Gid of(InetAddress address) {
        byte[] ip = address.getAddress();
        if (ip.length == BYTES) {
            return new Gid(ip);
        }
        byte[] mapped = new byte[BYTES];
        mapped[10] = -1;
        mapped[11] = -1;
        System.arraycopy(ip, 0, mapped, BYTES - ip.length, ip.length);
        return new Gid(mapped);
    }

    /**
     * Returns the bytes.
     *
     * @return a copy, in network byte order
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Returns whether all bytes are zero, as in an unused entry of the GID table.
     *
     * @return true if so
     */
    public boolean isZero() {
        for (byte b : bytes) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether it is in fe80::/10, which is valid on one link only.
     *
     * @return true if so
     */
    public boolean isLinkLocal() {
        return bytes[0] == (byte) 0xfe && (bytes[1] & 0xc0) == 0x80;
    }

    /**
     * Returns whether it addresses a multicast group: ff00::/8, or an IPv4-mapped 224.0.0.0/4.
     *
     * @return true if so
     */
    public boolean isMulticast() {
        return toAddress().isMulticastAddress();
    }

    /**
     * Returns the IP address of this GID.
     *
     * @return IPv4 for an IPv4-mapped GID, otherwise IPv6
     */
    public InetAddress toAddress() {
        try {
            // InetAddress converts an IPv4-mapped IPv6 address to an Inet4Address.
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Returns whether it is an IPv4-mapped address.
     *
     * @return true if so
     */
    public boolean isIpv4Mapped() {
        return toAddress() instanceof Inet4Address;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gid gid && Arrays.equals(bytes, gid.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns eight groups of four hexadecimal digits, as {@code ibv_devinfo -v} prints a GID. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < BYTES; i += 2) {
            if (i > 0) {
                text.append(':');
            }
            text.append(String.format("%02x%02x", bytes[i], bytes[i + 1]));
        }
        return text.toString();
    }
}
