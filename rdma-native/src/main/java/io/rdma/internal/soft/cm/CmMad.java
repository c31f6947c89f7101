package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;

// Layouts: IB specification volume 1, 12.6 to 12.11. The buffers here begin after the MAD header. Fields that a message
// does not use are 0. Private data has a fixed size and is at the end.

/** A message of the connection manager. Arrays are not copied: treat them as immutable. */
public sealed interface CmMad
        permits CmRequest,
                CmReply,
                CmReject,
                CmLookup,
                CmLookupReply,
                CmMad.Ready,
                CmMad.Received,
                CmMad.Disconnect,
                CmMad.Disconnected {
    /** Bytes after the header. */
    int BYTES = 232;

    /** Kinds of message that a {@link CmReject} or {@link Received} refers to. */
    int ABOUT_REQUEST = 0;

    int ABOUT_REPLY = 1;
    int ABOUT_OTHER = 2;

    /** Returns the attribute ID in the MAD header. */
    int attribute();

    /** Returns the sender's number of the conversation. */
    int localId();

    /** Returns the receiver's number of the conversation; 0 if the sender cannot know it. */
    int remoteId();

    void write(ByteBuffer to);

    /** The message RTU: ready to use. */
    record Ready(int localId, int remoteId) implements CmMad {
        static final int ATTRIBUTE = 0x14;

        @Override
        public int attribute() {
            return ATTRIBUTE;
        }

        @Override
        public void write(ByteBuffer to) {
            to.putInt(0, localId).putInt(4, remoteId);
        }
    }

    /**
     * The message MRA: message receipt acknowledgement.
     *
     * @param about kind of the received message
     * @param timeout time until the answer, as the exponent of 4.096 µs · 2ⁿ
     */
    record Received(int localId, int remoteId, int about, int timeout) implements CmMad {
        static final int ATTRIBUTE = 0x11;

        static Received read(ByteBuffer from) {
            return new Received(from.getInt(0), from.getInt(4), (from.get(8) & 0xff) >>> 6, (from.get(9) & 0xff) >>> 3);
        }

        @Override
        public int attribute() {
            return ATTRIBUTE;
        }

        @Override
        public void write(ByteBuffer to) {
            to.putInt(0, localId)
                    .putInt(4, remoteId)
                    .put(8, (byte) (about << 6))
                    .put(9, (byte) (timeout << 3));
        }
    }

    /**
     * The message DREQ: disconnect request.
     *
     * @param qpn queue pair number of the receiver
     */
    record Disconnect(int localId, int remoteId, int qpn) implements CmMad {
        static final int ATTRIBUTE = 0x15;

        static Disconnect read(ByteBuffer from) {
            return new Disconnect(from.getInt(0), from.getInt(4), from.getInt(8) >>> 8);
        }

        @Override
        public int attribute() {
            return ATTRIBUTE;
        }

        @Override
        public void write(ByteBuffer to) {
            to.putInt(0, localId).putInt(4, remoteId).putInt(8, qpn << 8);
        }
    }

    /** The message DREP: disconnect reply. */
    record Disconnected(int localId, int remoteId) implements CmMad {
        static final int ATTRIBUTE = 0x16;

        @Override
        public int attribute() {
            return ATTRIBUTE;
        }

        @Override
        public void write(ByteBuffer to) {
            to.putInt(0, localId).putInt(4, remoteId);
        }
    }
}
