package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.StructureLocation;
import io.rdma.testing.structures.DoomedOperation;
import io.rdma.testing.structures.Moment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Client of a {@link DoomedHost} that puts the first values before participants die, and uses what they have left. What
 * participants put is here, too.
 */
record Observer(
        RdmaConnection connection, RdmaCounters counters, RdmaRecords records, RdmaTable table, RdmaLocks locks) {
    /** Bytes of a record or bucket. An image takes several packets, and a READ of three images fits into a buffer. */
    static final int CAPACITY = 1300;

    static final int BUCKETS =
            Moment.of(DoomedOperation.TABLE_PUT, DoomedOperation.TABLE_REMOVE).size();
    static final int LOCKS = Moment.of(
                    DoomedOperation.LOCK_ACQUIRE, DoomedOperation.LOCK_RENEW, DoomedOperation.LOCK_RELEASE)
            .size();

    static final long COUNT = 41;
    static final byte[] OLD_RECORD = filled(CAPACITY, 'o');
    static final byte[] NEW_RECORD = filled(CAPACITY, 'n');
    static final byte[] OLD_VALUE = filled(500, 'o');
    static final byte[] NEW_VALUE = filled(500, 'n');
    static final byte[] OTHER_VALUE = filled(500, 'x');

    /** Entries behind which the next one does not fit before the end of a ring. */
    static final List<byte[]> FILLING = List.of(new byte[0], filled(16, 'f'));

    static final byte[] ENTRY = filled(16, 'n');

    private static byte[] filled(int length, int with) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    /** Connects a client. */
    static RdmaConnection connect(RdmaResources resources, int port) {
        return StructuresFixture.client(resources, port)
                // A write of no bytes would look like a request of an operation.
                .options(o -> o.withProbeInterval(Duration.ZERO))
                .connectNow(PATIENCE);
    }

    /** Returns the locations that the host sends over a connection, as they arrive. */
    static BlockingQueue<StructureLocation> locations(RdmaConnection connection) {
        BlockingQueue<StructureLocation> arrived = new LinkedBlockingQueue<>();
        connection
                .receive(message -> StructureLocation.decode(message.segment()))
                .subscribe(arrived::add, end -> {});
        return arrived;
    }

    static StructureLocation next(BlockingQueue<StructureLocation> arrived) throws InterruptedException {
        return Objects.requireNonNull(arrived.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS), "no location arrived");
    }

    /** Connects the observer, which is the first client of its host, and puts the first values. */
    static Observer of(RdmaResources resources, int port) throws InterruptedException {
        RdmaConnection connection = connect(resources, port);
        BlockingQueue<StructureLocation> arrived = locations(connection);
        Observer observer = new Observer(
                connection,
                RdmaCounters.open(connection, next(arrived)).block(PATIENCE),
                RdmaRecords.open(connection, next(arrived)).block(PATIENCE),
                RdmaTable.open(connection, next(arrived)).block(PATIENCE),
                RdmaLocks.open(connection, next(arrived)).block(PATIENCE));
        observer.fill();
        return observer;
    }

    private void fill() {
        for (int i = 0; i < counters.count(); i++) {
            counters.add(i, COUNT).block(PATIENCE);
        }
        for (int i = 0; i < records.count(); i++) {
            records.put(i, OLD_RECORD).block(PATIENCE);
        }
        for (int i = 0; i < BUCKETS; i++) {
            table.put(key(i), OLD_VALUE).block(PATIENCE);
            table.put(otherKey(i), OTHER_VALUE).block(PATIENCE);
        }
    }

    /** Returns the bucket of a moment. */
    static int bucket(Moment moment) {
        return moment.place()
                + (moment.operation() == DoomedOperation.TABLE_PUT
                        ? 0
                        : Moment.of(DoomedOperation.TABLE_PUT).size());
    }

    /** Returns the lock of a moment. */
    static int lock(Moment moment) {
        return Moment.of(DoomedOperation.LOCK_ACQUIRE, DoomedOperation.LOCK_RENEW, DoomedOperation.LOCK_RELEASE)
                .indexOf(moment);
    }

    /** Returns the key of a bucket that participants change. */
    static byte[] key(int bucket) {
        return key(bucket, 'c');
    }

    /** Returns the key of a bucket that no participant changes. */
    static byte[] otherKey(int bucket) {
        return key(bucket, 'x');
    }

    private static byte[] key(int bucket, int kind) {
        for (int i = 0; ; i++) {
            byte[] key = {(byte) kind, (byte) (i >> 8), (byte) i};
            CRC32C hash = new CRC32C();
            hash.update(key);
            if (hash.getValue() * BUCKETS >>> Integer.SIZE == bucket) {
                return key;
            }
        }
    }
}
