package io.rdma.structures;

import java.time.Duration;

/**
 * Geometry of records. It is stored in the memory, so clients need not know it.
 *
 * @param count number of records, 1 to 2<sup>31</sup> - 1
 * @param capacity largest value in bytes, 1 to 2<sup>24</sup>; memory and each READ have three times as much
 * @param lease time after which a claim that did not change is taken over, 1 ms to 1 hour
 */
public record RecordOptions(int count, int capacity, Duration lease) {
    /** Lease that is used if none is set. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(1);

    private static final int MAX_CAPACITY = 1 << 24;
    private static final int IMAGES = 3;
    private static final int IMAGE_HEAD = 16;

    /** Checks the ranges. */
    public RecordOptions {
        require("count", count, Integer.MAX_VALUE);
        require("capacity", capacity, MAX_CAPACITY);
        if (lease.compareTo(Duration.ofMillis(1)) < 0 || lease.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("the lease is " + lease + ": use 1 ms to 1 hour");
        }
    }

    private static void require(String name, int value, int largest) {
        if (value < 1 || value > largest) {
            throw new IllegalArgumentException(name + " is " + value + ": use 1 to " + largest);
        }
    }

    /**
     * Returns options with the default lease.
     *
     * @param count number of records
     * @param capacity largest value in bytes
     * @return the options
     */
    public static RecordOptions of(int count, int capacity) {
        return new RecordOptions(count, capacity, DEFAULT_LEASE);
    }

    /**
     * Returns options with another lease. A shorter one unblocks a record sooner after a writer has stopped without the
     * end of its connection. It must be longer than a usual pause of a writer, such as one of its garbage collector:
     * otherwise writers take records over from each other and repeat their work. No value depends on it.
     *
     * @param lease see the record
     * @return changed options
     */
    public RecordOptions withLease(Duration lease) {
        return new RecordOptions(count, capacity, lease);
    }

    /**
     * Returns the bytes that one READ of a record fetches. It is the largest request of a client, so the send buffers
     * of a client's connection must have as many.
     *
     * @return 8 + 3 × (16 + capacity), with the capacity rounded up to a multiple of 8
     */
    public int readBytes() {
        return Long.BYTES + IMAGES * (IMAGE_HEAD + Math.ceilDiv(capacity, Long.BYTES) * Long.BYTES);
    }
}
