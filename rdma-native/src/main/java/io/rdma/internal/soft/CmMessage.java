package io.rdma.internal.soft;

import io.rdma.internal.ffi.ConnParam;
import io.rdma.internal.ffi.Ibv;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

// On the wire, big-endian: magic "JRCM", type u8, body length u16, body. The body of REQUEST and REPLY: queue pair
// number
// u32, PSN u32, GID 16 bytes, MTU code u8, responder resources u8, initiator depth u8, retries u8, RNR retries u8,
// flags
// u8 (1: shared receive queue, 2: datagram service), queue key u32, private data to the end. Of REJECT: reason u16,
// private data. The rest have none. Nothing is larger than MAX_BODY, and whoever sends something else is hung up on.

/**
 * What two software devices say to each other when they connect, in the words of the InfiniBand connection manager (IB specification volume 1 chapter 12).
 *
 * @param type one of the constants
 * @param qpn of the sender
 * @param psn the sender's first
 * @param gid of the sender, 16 bytes
 * @param mtu code of the sender's port
 * @param param as the sender gave it, without the queue pair number
 * @param datagram whether a datagram service is looked up
 * @param qkey of a datagram service
 * @param reason of a rejection
 */
@SuppressWarnings("ArrayRecordComponent")
record CmMessage(
        int type, int qpn, int psn, byte[] gid, int mtu, ConnParam param, boolean datagram, int qkey, int reason) {
    static final int REQUEST = 1;
    static final int REPLY = 2;
    static final int READY = 3;
    static final int REJECT = 4;
    static final int DISCONNECT = 5;
    static final int DISCONNECTED = 6;

    /** Reasons of a rejection, IB specification table 108: nobody listens there; the application said no. */
    static final int INVALID_SERVICE_ID = 8;

    static final int CONSUMER_REJECT = 28;

    private static final int MAGIC = 0x4a52434d; // "JRCM"
    private static final int FIXED = 34;
    private static final int MAX_BODY = FIXED + 255;
    private static final int SHARED = 1;
    private static final int DATAGRAM = 2;
    private static final ConnParam NO_PARAM = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, 0);

    /** A message that has no body. */
    static CmMessage of(int type) {
        return new CmMessage(type, 0, 0, new byte[16], 0, NO_PARAM, false, 0, 0);
    }

    static CmMessage rejection(int reason, byte[] privateData) {
        ConnParam param = new ConnParam(privateData, 0, 0, 0, 0, 0, false, 0);
        return new CmMessage(REJECT, 0, 0, new byte[16], 0, param, false, 0, reason);
    }

    void write(OutputStream to) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(7 + MAX_BODY);
        bytes.putInt(MAGIC).put((byte) type).putShort((short) 0);
        if (type == REQUEST || type == REPLY) {
            bytes.putInt(qpn).putInt(psn).put(gid).put((byte) mtu);
            bytes.put((byte) param.responderResources()).put((byte) param.initiatorDepth());
            bytes.put((byte) param.retryCount()).put((byte) param.rnrRetryCount());
            bytes.put((byte) ((param.srq() ? SHARED : 0) | (datagram ? DATAGRAM : 0)));
            bytes.putInt(qkey).put(param.privateData());
        } else if (type == REJECT) {
            bytes.putShort((short) reason).put(param.privateData());
        }
        bytes.putShort(5, (short) (bytes.position() - 7));
        to.write(bytes.array(), 0, bytes.position());
    }

    /** Waits for a message. @throws IOException at the end of the stream, and if what comes is none */
    static CmMessage read(DataInputStream from) throws IOException {
        int magic = from.readInt();
        int type = from.readUnsignedByte();
        int length = from.readUnsignedShort();
        if (magic != MAGIC || length > MAX_BODY) {
            throw new IOException("not a message of the software device's connection manager");
        }
        byte[] body = new byte[length];
        from.readFully(body);
        ByteBuffer bytes = ByteBuffer.wrap(body);
        if (type == REJECT && length >= Short.BYTES) {
            return rejection(Short.toUnsignedInt(bytes.getShort()), rest(bytes));
        }
        if (type != REQUEST && type != REPLY) {
            return of(type);
        }
        if (length < FIXED) {
            throw new IOException("a request or reply of " + length + " bytes");
        }
        int qpn = bytes.getInt();
        int psn = bytes.getInt();
        byte[] gid = new byte[16];
        bytes.get(gid);
        int mtu = bytes.get();
        int responder = Byte.toUnsignedInt(bytes.get());
        int initiator = Byte.toUnsignedInt(bytes.get());
        int retry = bytes.get() & 7;
        int rnrRetry = bytes.get() & 7;
        int flags = bytes.get();
        int qkey = bytes.getInt();
        if ((qpn & ~Psn.MASK) != 0 || (psn & ~Psn.MASK) != 0 || mtu < Ibv.MTU_256 || mtu > Ibv.MTU_4096) {
            throw new IOException("an impossible queue pair number, PSN or MTU");
        }
        ConnParam param =
                new ConnParam(rest(bytes), responder, initiator, 0, retry, rnrRetry, (flags & SHARED) != 0, qpn);
        return new CmMessage(type, qpn, psn, gid, mtu, param, (flags & DATAGRAM) != 0, qkey, 0);
    }

    private static byte[] rest(ByteBuffer bytes) {
        return Arrays.copyOfRange(bytes.array(), bytes.position(), bytes.limit());
    }
}
