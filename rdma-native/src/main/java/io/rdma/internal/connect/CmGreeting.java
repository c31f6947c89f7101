package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.types.Gid;
import io.rdma.verbs.ConnectionParameters;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

// Layout of the private data, big-endian: magic "JRDM" u32, version u16, flags u8 (1: counts credits), zero u8, receive
// buffers u32, receive buffer size u32, largest message u32, lowest version u8, highest version u8, zero u16,
// capabilities u32, half of a token 16 bytes: 44 of the 56 bytes that a request has. A peer from before there were
// ranges sends the first 20. A rejection is the magic and UTF-8 text. Zeros follow. The connection manager itself takes
// care of all other PeerParameters.

/**
 * Private data that this library sends through the connection manager. Each side recognises by it that the peer uses
 * this library.
 */
final class CmGreeting {
    /** Versions and capabilities of this side. */
    static final Offer OFFER = new Offer(1, 1, Offer.ALL);

    private static final String NAME = "this library's private data";
    private static final int MAGIC = 0x4a52444d; // "JRDM"
    private static final int LEAST_BYTES = 20;
    private static final int BYTES = 28;
    private static final int CREDITS = 1;
    private static final int MAX_REJECTION = 148;
    private static final Offer NOTHING = new Offer(0, 0, 0); // of a peer that does not use this library
    private static final Gid NO_GID = Gid.of(new byte[16]);

    private CmGreeting() {}

    /**
     * Encodes the private data of this side.
     *
     * @param token half of this side, empty if it has none
     */
    static byte[] of(PeerParameters local, byte[] token) {
        return ByteBuffer.allocate(BYTES + token.length)
                .putInt(MAGIC)
                .putShort((short) OFFER.lowest())
                .put((byte) (local.credits() ? CREDITS : 0))
                .put((byte) 0)
                .putInt(local.receiveBuffers())
                .putInt(local.receiveBufferSize())
                .putInt(local.maxMessageSize())
                .put((byte) local.offer().lowest())
                .put((byte) local.offer().highest())
                .putShort((short) 0)
                .putInt(local.offer().capabilities())
                .put(token)
                .array();
    }

    /** Returns the peer's half of a token, or zeros, which no token has, if the peer sent none. */
    static byte[] token(ConnectionParameters said) {
        byte[] data = said.privateData();
        return data.length < Integer.BYTES || ByteBuffer.wrap(data).getInt() != MAGIC
                ? new byte[CmTokens.BYTES]
                : Arrays.copyOfRange(
                        Arrays.copyOf(data, Math.max(data.length, BYTES + CmTokens.BYTES)),
                        BYTES,
                        BYTES + CmTokens.BYTES);
    }

    /**
     * Returns whether the peer counts credits.
     *
     * @throws RdmaConnectException VERSION_MISMATCH
     */
    static boolean countsCredits(ConnectionParameters said) {
        ByteBuffer data = ByteBuffer.wrap(said.privateData());
        return isOurs(data) && countsCredits(data);
    }

    private static boolean isOurs(ByteBuffer data) {
        return data.remaining() >= LEAST_BYTES && data.getInt() == MAGIC;
    }

    /** Reads version and flags, behind the magic. */
    private static boolean countsCredits(ByteBuffer data) {
        int version = Short.toUnsignedInt(data.getShort(data.position()));
        if (!OFFER.includes(version)) {
            throw OFFER.mismatch(Integer.toString(version), NAME);
        }
        return (data.get(data.position() + Short.BYTES) & CREDITS) != 0;
    }

    /**
     * Decodes the parameters of the peer. A peer that does not use this library counts no credits; nothing else is
     * known of it.
     *
     * @throws RdmaConnectException VERSION_MISMATCH, or PROTOCOL_ERROR if a value is out of range
     */
    static PeerParameters heard(ConnectionParameters said, PeerParameters local) {
        ByteBuffer data = ByteBuffer.wrap(said.privateData());
        if (!isOurs(data)) {
            return parameters(said, local, false, 1, local.maxMessageSize(), local.maxMessageSize(), NOTHING);
        }
        boolean credits = countsCredits(data);
        int version = Short.toUnsignedInt(data.getShort());
        data.getShort(); // flags
        int buffers = PeerParameters.check("number of receive buffers", data.getInt(), 1, 1 << 16);
        int size = PeerParameters.check("receive buffer size", data.getInt(), 1, 1 << 30);
        int largest = PeerParameters.check("largest message", data.getInt(), size, 1 << 30);
        Offer offer = offer(version, data);
        OFFER.versionWith(offer, NAME);
        return parameters(said, local, credits, buffers, size, largest, offer);
    }

    private static Offer offer(int version, ByteBuffer rest) {
        if (rest.remaining() < BYTES - LEAST_BYTES) {
            return Offer.heard(version, 0, 0, 0);
        }
        int lowest = Byte.toUnsignedInt(rest.get());
        int highest = Byte.toUnsignedInt(rest.get());
        rest.getShort();
        return Offer.heard(version, lowest, highest, rest.getInt());
    }

    private static PeerParameters parameters(
            ConnectionParameters said,
            PeerParameters local,
            boolean credits,
            int buffers,
            int size,
            int largest,
            Offer offer) {
        // RDMA CM gives both from the view of this side: its responder resources are the peer's initiator depth.
        return new PeerParameters(
                said.queuePairNumber(),
                0,
                NO_GID,
                0,
                local.mtu(),
                said.responderResources(),
                said.initiatorDepth(),
                credits,
                buffers,
                size,
                largest,
                offer);
    }

    static byte[] rejection(String reason) {
        byte[] text = Refusal.utf8(reason, MAX_REJECTION - Integer.BYTES);
        return ByteBuffer.allocate(Integer.BYTES + text.length)
                .putInt(MAGIC)
                .put(text)
                .array();
    }

    /**
     * Returns the reason in the private data of a rejection.
     *
     * @return empty if the peer does not use this library
     */
    static String rejected(byte[] privateData) {
        ByteBuffer data = ByteBuffer.wrap(privateData);
        if (data.remaining() < Integer.BYTES || data.getInt() != MAGIC) {
            return "";
        }
        int end = data.position();
        while (end < privateData.length && privateData[end] != 0) {
            end++;
        }
        return PeerText.of(new String(Arrays.copyOfRange(privateData, data.position(), end), StandardCharsets.UTF_8));
    }
}
