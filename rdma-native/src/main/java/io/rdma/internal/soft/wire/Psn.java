package io.rdma.internal.soft.wire;

/** Arithmetic of packet sequence numbers: 24 bits that wrap. Two PSNs compare by their shortest distance. */
public final class Psn {
    public static final int MASK = 0xffffff;

    private Psn() {}

    public static int add(int psn, int packets) {
        return (psn + packets) & MASK;
    }

    /** Returns the signed distance from {@code b} to {@code a}, -2^23 .. 2^23-1. */
    public static int diff(int a, int b) {
        return ((a - b) << 8) >> 8;
    }
}
