package io.rdma.internal.soft;

/** Packet sequence numbers: 24 bits that wrap; two of them are compared by their shortest distance. */
final class Psn {
    static final int MASK = 0xffffff;

    private Psn() {}

    static int add(int psn, int packets) {
        return (psn + packets) & MASK;
    }

    /** Signed distance from {@code b} to {@code a}, -2^23 .. 2^23-1. */
    static int diff(int a, int b) {
        return ((a - b) << 8) >> 8;
    }
}
