package io.rdma.internal.soft.wire;

/**
 * BTH opcodes, IB specification volume 1, table 38, and the headers of each. The upper 3 bits are the transport; the
 * lower 5 are the operation, which has the same meaning in all transports.
 */
public final class Opcode {
    public static final int RC = 0;
    public static final int UC = 1;
    public static final int UD = 3;
    public static final int XRC = 5;

    public static final int SEND_FIRST = 0x00;
    public static final int SEND_MIDDLE = 0x01;
    public static final int SEND_LAST = 0x02;
    static final int SEND_LAST_IMM = 0x03;
    public static final int SEND_ONLY = 0x04;
    static final int SEND_ONLY_IMM = 0x05;
    public static final int WRITE_FIRST = 0x06;
    static final int WRITE_MIDDLE = 0x07;
    public static final int WRITE_LAST = 0x08;
    static final int WRITE_LAST_IMM = 0x09;
    public static final int WRITE_ONLY = 0x0a;
    static final int WRITE_ONLY_IMM = 0x0b;
    public static final int READ_REQUEST = 0x0c;
    public static final int READ_FIRST = 0x0d;
    public static final int READ_MIDDLE = 0x0e;
    public static final int READ_LAST = 0x0f;
    public static final int READ_ONLY = 0x10;
    public static final int ACKNOWLEDGE = 0x11;
    public static final int ATOMIC_ACKNOWLEDGE = 0x12;
    public static final int COMPARE_SWAP = 0x13;
    public static final int FETCH_ADD = 0x14;
    public static final int SEND_LAST_INV = 0x16;
    public static final int SEND_ONLY_INV = 0x17;
    /** IB specification, annex A19, like the next one. */
    public static final int FLUSH = 0x1c;

    public static final int ATOMIC_WRITE = 0x1d;

    private static final int OPERATION_BITS = 5;
    private static final int DETH_BYTES = 8;
    private static final int XRCETH_BYTES = 4;

    private Opcode() {}

    static int transport(int wire) {
        return wire >>> OPERATION_BITS;
    }

    static int operation(int wire) {
        return wire & (1 << OPERATION_BITS) - 1;
    }

    static int wire(int transport, int opcode) {
        return transport << OPERATION_BITS | opcode;
    }

    /** Returns whether a transport supports an operation. */
    static boolean known(int transport, int opcode) {
        return switch (transport) {
            case RC, XRC -> opcode <= FETCH_ADD || hasIeth(opcode) || isPlacement(opcode);
            case UC -> opcode <= WRITE_ONLY_IMM;
            case UD -> opcode == SEND_ONLY || opcode == SEND_ONLY_IMM;
            default -> false;
        };
    }

    /** Returns whether a transport is reliable, so that its packets are acknowledged. */
    public static boolean isReliable(int transport) {
        return transport == RC || transport == XRC;
    }

    /** Returns whether it has an XRC header, with a shared receive queue's number. IB specification, annex A14. */
    static boolean hasXrceth(int transport, int opcode) {
        return transport == XRC && !isResponse(opcode);
    }

    public static boolean isResponse(int opcode) {
        return opcode >= READ_FIRST && opcode <= ATOMIC_ACKNOWLEDGE;
    }

    public static boolean isSend(int opcode) {
        return opcode <= SEND_ONLY_IMM || hasIeth(opcode);
    }

    public static boolean isWrite(int opcode) {
        return opcode >= WRITE_FIRST && opcode <= WRITE_ONLY_IMM;
    }

    public static boolean isAtomic(int opcode) {
        return opcode == COMPARE_SWAP || opcode == FETCH_ADD;
    }

    /** Returns whether it is a request of the memory placement extensions, which a read response answers. */
    public static boolean isPlacement(int opcode) {
        return opcode == FLUSH || opcode == ATOMIC_WRITE;
    }

    /** Returns whether it is a request of one packet that a response answers. */
    public static boolean isAnswered(int opcode) {
        return opcode == READ_REQUEST || isAtomic(opcode) || isPlacement(opcode);
    }

    /** Returns whether it is the first or only packet of a message. */
    public static boolean starts(int opcode) {
        return opcode == SEND_FIRST
                || opcode == SEND_ONLY
                || opcode == SEND_ONLY_IMM
                || opcode == SEND_ONLY_INV
                || opcode == WRITE_FIRST
                || opcode == WRITE_ONLY
                || opcode == WRITE_ONLY_IMM;
    }

    /** Returns whether it is a first or middle packet, which carries a full path MTU and is followed by another. */
    public static boolean goesOn(int opcode) {
        return opcode == SEND_FIRST || opcode == SEND_MIDDLE || opcode == WRITE_FIRST || opcode == WRITE_MIDDLE;
    }

    /**
     * Returns the opcode of a part of a packet. The first part of several keeps the header that starts a message, the
     * last one what ends it.
     */
    public static int part(int opcode, boolean first, boolean last) {
        if (first && last) {
            return opcode;
        }
        int kind = isSend(opcode) ? SEND_FIRST : isWrite(opcode) ? WRITE_FIRST : READ_FIRST;
        boolean begins = starts(opcode) || opcode == READ_FIRST || opcode == READ_ONLY;
        boolean ends = !goesOn(opcode) && opcode != READ_FIRST && opcode != READ_MIDDLE;
        if (last && ends) {
            return opcode == SEND_ONLY_INV ? SEND_LAST_INV : begins ? last(opcode) : opcode;
        }
        return first && begins ? kind : kind + SEND_MIDDLE;
    }

    /** Returns the opcode of the last packet of a message that would have that one, for a message of one packet. */
    private static int last(int only) {
        return only == READ_ONLY ? READ_LAST : only - SEND_ONLY + SEND_LAST;
    }

    static boolean hasReth(int opcode) {
        return opcode == WRITE_FIRST
                || opcode == WRITE_ONLY
                || opcode == WRITE_ONLY_IMM
                || opcode == READ_REQUEST
                || isPlacement(opcode);
    }

    public static boolean hasImm(int opcode) {
        return opcode == SEND_LAST_IMM
                || opcode == SEND_ONLY_IMM
                || opcode == WRITE_LAST_IMM
                || opcode == WRITE_ONLY_IMM;
    }

    /** Returns whether the packet has an invalidate extended transport header. */
    public static boolean hasIeth(int opcode) {
        return opcode == SEND_LAST_INV || opcode == SEND_ONLY_INV;
    }

    static boolean hasAeth(int opcode) {
        return isResponse(opcode) && opcode != READ_MIDDLE;
    }

    /** Returns whether a payload may follow the headers. */
    public static boolean hasPayload(int opcode) {
        return opcode < READ_REQUEST || opcode >= READ_FIRST && opcode <= READ_ONLY || hasIeth(opcode);
    }

    /** Returns the bytes of all headers from the BTH to the payload. */
    public static int headerBytes(int transport, int opcode) {
        return 12
                + (transport == UD ? DETH_BYTES : 0)
                + (hasXrceth(transport, opcode) ? XRCETH_BYTES : 0)
                + (hasReth(opcode) ? 16 : 0)
                + (hasImm(opcode) ? 4 : 0)
                + (hasIeth(opcode) ? 4 : 0)
                + (hasAeth(opcode) ? 4 : 0)
                + (isAtomic(opcode) ? 28 : 0)
                + (opcode == ATOMIC_ACKNOWLEDGE || opcode == ATOMIC_WRITE ? 8 : 0)
                + (opcode == FLUSH ? 4 : 0);
    }
}
