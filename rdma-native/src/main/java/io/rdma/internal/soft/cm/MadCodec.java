package io.rdma.internal.soft.cm;

import io.rdma.internal.soft.device.ManagementPort;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

// The header, IB specification volume 1, 13.4.3: base version u8, class u8, class version u8, method u8, status u16,
// class specific u16, transaction u64, attribute u16, reserved u16, modifier u32.

/** Codec of the management datagrams of the connection manager's class. */
public final class MadCodec {
    private static final int HEADER = ManagementPort.BYTES - CmMad.BYTES;
    private static final int VERSION_AND_SEND = 0x01070203; // base version 1, class 7, its version 2, method Send

    private MadCodec() {}

    /**
     * A message and the transaction that it belongs to.
     *
     * @param transaction transaction number, chosen by the side that began
     * @param message the message
     */
    record Mad(long transaction, CmMad message) {}

    public static byte[] encode(long transaction, CmMad message) {
        ByteBuffer bytes = ByteBuffer.allocate(ManagementPort.BYTES);
        bytes.putInt(0, VERSION_AND_SEND).putLong(8, transaction).putShort(16, (short) message.attribute());
        message.write(bytes.slice(HEADER, CmMad.BYTES));
        return bytes.array();
    }

    /**
     * Decodes a management datagram.
     *
     * @return null if it is not a known message
     */
    static @Nullable Mad decode(byte[] datagram) {
        if (datagram.length != ManagementPort.BYTES) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(datagram);
        if (bytes.getInt(0) != VERSION_AND_SEND || bytes.getShort(4) != 0) {
            return null;
        }
        ByteBuffer body = bytes.slice(HEADER, CmMad.BYTES);
        CmMad message = switch (bytes.getShort(16)) {
            case CmRequest.ATTRIBUTE -> CmRequest.read(body);
            case CmReply.ATTRIBUTE -> CmReply.read(body);
            case CmReject.ATTRIBUTE -> CmReject.read(body);
            case CmMad.Received.ATTRIBUTE -> CmMad.Received.read(body);
            case CmMad.Ready.ATTRIBUTE -> new CmMad.Ready(body.getInt(0), body.getInt(4));
            case CmMad.Disconnect.ATTRIBUTE -> CmMad.Disconnect.read(body);
            case CmMad.Disconnected.ATTRIBUTE -> new CmMad.Disconnected(body.getInt(0), body.getInt(4));
            case CmLookup.ATTRIBUTE -> CmLookup.read(body);
            case CmLookupReply.ATTRIBUTE -> CmLookupReply.read(body);
            default -> null;
        };
        return message == null ? null : new Mad(bytes.getLong(8), message);
    }

    static byte[] bytes(ByteBuffer from, int at, int length) {
        byte[] copy = new byte[length];
        from.get(at, copy);
        return copy;
    }
}
