package io.rdma.structures;

import java.time.Duration;

/**
 * Geometry of a table. It is stored in the memory, so clients need not know it.
 *
 * @param buckets records, each of which holds all keys of one part of the hash space
 * @param displacing what happens if a bucket has no room: true removes the entries of the bucket that were put the
 *     longest ago, as a cache does, false refuses the put
 */
public record TableOptions(RecordOptions buckets, boolean displacing) {
    /** Bytes of an entry in its bucket in addition to key and value. */
    public static final int ENTRY_BYTES = 14;

    /**
     * Returns options of a table that refuses a put for which its bucket has no room.
     *
     * @param buckets number of buckets
     * @param bucketBytes room of one bucket for all its entries; each has {@value #ENTRY_BYTES} bytes besides key and
     *     value
     * @return the options
     */
    public static TableOptions of(int buckets, int bucketBytes) {
        return new TableOptions(RecordOptions.of(buckets, bucketBytes), false);
    }

    /**
     * Returns options of a table that makes room by removing the oldest entries of the same bucket.
     *
     * @return changed options
     */
    public TableOptions displacingOldest() {
        return new TableOptions(buckets, true);
    }

    /**
     * Returns options with another lease, see {@link RecordOptions#withLease}.
     *
     * @param lease see {@link RecordOptions}
     * @return changed options
     */
    public TableOptions withLease(Duration lease) {
        return new TableOptions(buckets.withLease(lease), displacing);
    }

    /**
     * Returns the bytes that one READ of a bucket fetches, see {@link RecordOptions#readBytes}.
     *
     * @return size of a send buffer that a client needs
     */
    public int readBytes() {
        return buckets.readBytes();
    }
}
