package io.rdma.internal.soft.ring;

import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

// Layout: a page of indices, each in a cache line of its own, then the packets. A packet begins at a multiple of 8: its
// length in 4 bytes, the path MTU if it is a joined one, otherwise 0, in 4 bytes, then its bytes. A length of -1 means
// that the next packet is at the start.
// Both indices count bytes since the start and only grow.

/** Memory of a ring, in which one process writes packets that another one reads. */
final class Ring {
    /** Bytes of packets; a power of two. */
    static final int CAPACITY = 2 << 20;

    /** Bytes in front of a packet. */
    static final int PREFIX = 8;

    private static final int MTU = 4;

    /** Length that means: go on at the start. */
    static final int WRAP = -1;

    /** Offset of a field of the first ring of a file: whether the file was opened by the other side. */
    static final int ACCEPTED = 0;

    private static final int TAIL = 64;
    private static final int HEAD = 128;
    private static final int READER = 192; // its state
    private static final int PACKETS = 4096;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int LEFT = 2;

    /** Bytes of a ring. */
    static final int BYTES = PACKETS + CAPACITY;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final long base;
    private final ByteBuffer packets;

    Ring(MemorySegment memory) {
        base = memory.address();
        packets = memory.asSlice(PACKETS, CAPACITY).asByteBuffer().order(ByteOrder.BIG_ENDIAN);
    }

    /** Returns the packets, as a buffer for the codec. */
    ByteBuffer packets() {
        return packets;
    }

    /** Returns the address of {@link #packets}. */
    long address() {
        return base + PACKETS;
    }

    /** Returns the place of an index. */
    static int place(long index) {
        return (int) index & CAPACITY - 1;
    }

    /** Returns the bytes that a packet takes. */
    static int taken(int length) {
        return PREFIX + (length + 7 & -8);
    }

    int length(int place) {
        return NativeMemory.getInt(address() + place);
    }

    void length(int place, int bytes) {
        NativeMemory.putInt(address() + place, bytes);
    }

    int mtu(int place) {
        return NativeMemory.getInt(address() + place + MTU);
    }

    void mtu(int place, int bytes) {
        NativeMemory.putInt(address() + place + MTU, bytes);
    }

    /** Returns the end of the packets that the writer has published. Bytes that it wrote before are visible then. */
    long tail() {
        return (long) LONG.getAcquire(NativeMemory.ALL, base + TAIL);
    }

    void publish(long tail) {
        LONG.setRelease(NativeMemory.ALL, base + TAIL, tail);
    }

    /** Returns the end of the packets that the reader is done with. */
    long head() {
        return (long) LONG.getAcquire(NativeMemory.ALL, base + HEAD);
    }

    void release(long head) {
        LONG.setRelease(NativeMemory.ALL, base + HEAD, head);
    }

    /** Notes whether the reader sleeps, so that the writer has to wake it. */
    void asleep(boolean now) {
        INT.compareAndSet(NativeMemory.ALL, base + READER, now ? AWAKE : ASLEEP, now ? ASLEEP : AWAKE);
    }

    /** Notes that the reader reads no more. */
    void leave() {
        INT.setOpaque(NativeMemory.ALL, base + READER, LEFT);
    }

    /** Returns whether the reader reads no more. */
    boolean isLeft() {
        return (int) INT.getOpaque(NativeMemory.ALL, base + READER) == LEFT;
    }

    /**
     * Returns whether the reader sleeps, and notes that it is being woken. It finds packets that were published before.
     */
    boolean wakes() {
        VarHandle.fullFence(); // a reader notes that it sleeps, and then reads the tail
        return (int) INT.getOpaque(NativeMemory.ALL, base + READER) == ASLEEP
                && INT.compareAndSet(NativeMemory.ALL, base + READER, ASLEEP, AWAKE);
    }
}
