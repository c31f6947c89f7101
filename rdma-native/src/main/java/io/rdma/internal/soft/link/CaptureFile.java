package io.rdma.internal.soft.link;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

// Format: draft-ietf-opsawg-pcapng. A section header, one interface of link type RAW (each packet begins with its IP
// header) with timestamps in nanoseconds, then one enhanced packet block for each packet. Every block repeats its
// length at its end, and all is padded to 4 bytes. The IP and UDP headers are synthesised, since a UDP socket does not
// expose them.

/** A pcapng file of captured packets. In a turn. */
public final class CaptureFile implements AutoCloseable {
    private static final int SECTION = 0x0a0d0d0a;
    private static final int BYTE_ORDER = 0x1a2b3c4d;
    private static final int INTERFACE = 1;
    private static final int PACKET = 6;
    private static final int LINKTYPE_RAW = 101;
    private static final int OPTION_INTERFACE_NAME = 2;
    private static final int OPTION_TIME_RESOLUTION = 9;
    private static final int OPTION_FLAGS = 2;
    private static final int UDP = 17;
    private static final int MAX_BLOCK = LinkSocket.MAX_DATAGRAM + 256;

    private final FileChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(1 << 18).order(ByteOrder.LITTLE_ENDIAN);
    private final Environment environment;
    /** Offset from the packets' clock, which counts from an arbitrary moment, to the Unix epoch. */
    private final long epoch;

    public CaptureFile(Path file, String device, Environment environment) throws IOException {
        this.environment = environment;
        epoch = environment.epochNanos() - environment.nanoTime();
        channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        out.putInt(SECTION).putInt(28).putInt(BYTE_ORDER).putShort((short) 1).putShort((short) 0);
        out.putLong(-1).putInt(28);
        byte[] name = device.getBytes(StandardCharsets.US_ASCII);
        int padding = -name.length & 3;
        int length = 20 + 4 + name.length + padding + 8 + 4;
        out.putInt(INTERFACE).putInt(length).putShort((short) LINKTYPE_RAW).putShort((short) 0);
        out.putInt(0); // no limit of the captured length
        option(OPTION_INTERFACE_NAME, name.length).put(name).put(new byte[padding]);
        option(OPTION_TIME_RESOLUTION, 1).put((byte) 9).put(new byte[3]);
        out.putInt(0).putInt(length);
        flush();
    }

    private ByteBuffer option(int code, int length) {
        return out.putShort((short) code).putShort((short) length);
    }

    /** Adds a datagram, from its BTH to its ICRC. */
    void add(ByteBuffer memory, int at, int length, UdpAddress from, UdpAddress to, boolean outbound) {
        int ip = from.ipv6 ? 40 : 20;
        int captured = ip + 8 + length;
        int padding = -captured & 3;
        int block = 28 + captured + padding + 8 + 4 + 4;
        if (out.remaining() < MAX_BLOCK + 128) {
            flush();
        }
        long time = epoch + environment.nanoTime();
        out.putInt(PACKET).putInt(block).putInt(0).putInt((int) (time >>> 32)).putInt((int) time);
        out.putInt(captured).putInt(captured);
        out.order(ByteOrder.BIG_ENDIAN);
        int start = out.position();
        if (from.ipv6) {
            out.putInt(0x60000000 | to.trafficClass << 20 | to.flowLabel)
                    .putShort((short) (8 + length))
                    .put((byte) UDP)
                    .put((byte) to.hopLimit);
            out.putLong(from.high).putLong(from.low).putLong(to.high).putLong(to.low);
        } else {
            out.putShort((short) (0x4500 | to.trafficClass))
                    .putShort((short) captured)
                    .putInt(0x4000);
            out.put((byte) to.hopLimit).put((byte) UDP).putShort((short) 0);
            out.putInt((int) from.low).putInt((int) to.low);
            out.putShort(start + 10, (short) ~folded(sum(start, 20)));
        }
        int udp = out.position();
        out.putShort((short) from.port).putShort((short) to.port);
        out.putShort((short) (8 + length)).putShort((short) 0);
        memory.limit(at + length).position(at);
        out.put(memory);
        memory.limit(memory.capacity());
        if (from.ipv6) { // the UDP checksum is mandatory over IPv6
            int sum = ~folded(sum(start + 8, 32) + sum(udp, 8 + length) + UDP + 8 + length) & 0xffff;
            out.putShort(udp + 6, (short) (sum == 0 ? 0xffff : sum));
        }
        for (int i = 0; i < padding; i++) {
            out.put((byte) 0);
        }
        out.order(ByteOrder.LITTLE_ENDIAN);
        option(OPTION_FLAGS, 4).putInt(outbound ? 2 : 1);
        out.putInt(0).putInt(block);
    }

    private long sum(int at, int length) {
        long sum = 0;
        for (int i = 0; i < length - 1; i += 2) {
            sum += Short.toUnsignedInt(out.getShort(at + i));
        }
        return (length & 1) == 0 ? sum : sum + ((out.get(at + length - 1) & 0xff) << 8);
    }

    private static int folded(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xffff) + (folded >>> 16);
        }
        return (int) folded;
    }

    private void flush() {
        out.flip();
        try {
            while (out.hasRemaining()) {
                channel.write(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            out.clear();
        }
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            flush();
        }
    }
}
