package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;

// Layouts: IB specification volume 1, chapter 12.6 to 12.11. All of a message's bytes are behind the MAD header, the
// buffers here begin there. What a message does not say is 0. Private data has a fixed size, and is at the end.

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
    /** Bytes behind the header. */
    int BYTES = 232;

    /** What a {@link CmReject} or {@link Received} is about. */
    int ABOUT_REQUEST = 0;

    int ABOUT_REPLY = 1;
    int ABOUT_OTHER = 2;

    /** Of the MAD header. */
    int attribute();

    /** The sender's number of the conversation. */
    int localId();

    /** The receiver's, 0 where the sender cannot know it. */
    int remoteId();

    void write(ByteBuffer to);

    /** RTU. */
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
     * MRA.
     *
     * @param about what was received
     * @param timeout until the answer, 4.096 µs to the power of two
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
     * DREQ.
     *
     * @param qpn the receiver's
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

    /** DREP. */
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
