package io.rdma.samples.bench.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import site.ycsb.ByteIterator;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** The contract of the stores. */
@Timeout(300)
class StoreTest {
    private static final String TABLE = Workloads.TABLE;
    private static final int UPDATES = 100;

    private final List<VersionedDb> clients = new ArrayList<>();
    private Store.Host host;

    private VersionedDb client(Store store) throws Exception {
        if (host == null) {
            host = store.host();
        }
        VersionedDb client = store.client(host.port());
        client.init();
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() throws Exception {
        for (VersionedDb client : clients) {
            client.cleanup();
        }
        host.close();
    }

    private static Map<String, ByteIterator> fields(String... namesAndContents) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i < namesAndContents.length; i += 2) {
            fields.put(namesAndContents[i], namesAndContents[i + 1]);
        }
        return StringByteIterator.getByteIteratorMap(fields);
    }

    private static Map<String, String> read(VersionedDb db, String key, Set<String> fields) {
        Map<String, ByteIterator> found = new HashMap<>();
        assertThat(db.read(TABLE, key, fields, found)).isEqualTo(Status.OK);
        return StringByteIterator.getStringMap(found);
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void aRecordIsReadAsItWasInserted(Store store) throws Exception {
        VersionedDb db = client(store);
        assertThat(db.insert(TABLE, "one", fields("a", "1", "b", ""))).isEqualTo(Status.OK);
        assertThat(db.insert(TABLE, "two", fields("a", "2"))).isEqualTo(Status.OK);
        assertThat(read(db, "one", null)).isEqualTo(Map.of("a", "1", "b", ""));
        assertThat(read(db, "one", Set.of("a"))).isEqualTo(Map.of("a", "1"));
        assertThat(read(db, "two", null)).isEqualTo(Map.of("a", "2"));
        assertThat(db.insert(TABLE, "two", fields("c", "3"))).isEqualTo(Status.OK);
        assertThat(read(db, "two", null)).isEqualTo(Map.of("c", "3"));
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void anAbsentKeyIsNotFound(Store store) throws Exception {
        VersionedDb db = client(store);
        Map<String, ByteIterator> found = new HashMap<>();
        assertThat(db.read(TABLE, "absent", null, found)).isEqualTo(Status.NOT_FOUND);
        assertThat(found).isEmpty();
        assertThat(db.update(TABLE, "absent", fields("a", "1"))).isEqualTo(Status.NOT_FOUND);
        assertThat(db.delete(TABLE, "absent")).isEqualTo(Status.NOT_FOUND);
        assertThat(db.read(TABLE, "absent", null, found)).isEqualTo(Status.NOT_FOUND);
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void anUpdateChangesTheFieldsThatItNames(Store store) throws Exception {
        VersionedDb db = client(store);
        db.insert(TABLE, "one", fields("a", "1", "b", "2"));
        assertThat(db.update(TABLE, "one", fields("b", "two"))).isEqualTo(Status.OK);
        assertThat(read(db, "one", null)).isEqualTo(Map.of("a", "1", "b", "two"));
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void aDeletedRecordIsGone(Store store) throws Exception {
        VersionedDb db = client(store);
        db.insert(TABLE, "one", fields("a", "1"));
        db.insert(TABLE, "two", fields("a", "2"));
        long version = db.get("usertable/one".getBytes()).version();
        assertThat(db.delete(TABLE, "one")).isEqualTo(Status.OK);
        assertThat(db.read(TABLE, "one", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
        assertThat(read(db, "two", null)).isEqualTo(Map.of("a", "2"));
        db.insert(TABLE, "one", fields("a", "1"));
        assertThat(db.put("usertable/one".getBytes(), new byte[] {1}, version))
                .as("a version from before the delete")
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void theKeysHaveNoOrder(Store store) throws Exception {
        assertThat(client(store).scan(TABLE, "a", 1, null, new Vector<>())).isEqualTo(Status.NOT_IMPLEMENTED);
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void aClientSeesTheChangesOfAnother(Store store) throws Exception {
        VersionedDb one = client(store);
        VersionedDb two = client(store);
        one.insert(TABLE, "one", fields("a", "1"));
        assertThat(read(two, "one", null)).isEqualTo(Map.of("a", "1"));
        two.update(TABLE, "one", fields("a", "2"));
        assertThat(read(one, "one", null)).isEqualTo(Map.of("a", "2"));
        one.delete(TABLE, "one");
        assertThat(two.read(TABLE, "one", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    }

    /** Each client has a field of its own, so content is lost if an update overwrites a newer value. */
    @ParameterizedTest
    @EnumSource(Store.class)
    void updatesOfTwoClientsDoNotOverwriteEachOther(Store store) throws Exception {
        VersionedDb one = client(store);
        VersionedDb two = client(store);
        one.insert(TABLE, "one", fields("a", "0", "b", "0"));
        CountDownLatch begin = new CountDownLatch(1);
        CompletableFuture<Void> a = updates(one, "a", begin);
        CompletableFuture<Void> b = updates(two, "b", begin);
        begin.countDown();
        CompletableFuture.allOf(a, b).get(2, TimeUnit.MINUTES);
        assertThat(read(one, "one", null)).isEqualTo(Map.of("a", "" + UPDATES, "b", "" + UPDATES));
    }

    /** Counts a field up. A count that another client has set back is noticed, whatever comes after it. */
    private static CompletableFuture<Void> updates(VersionedDb db, String field, CountDownLatch begin) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        begin.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    for (int i = 1; i <= UPDATES; i++) {
                        assertThat(db.update(TABLE, "one", fields(field, "" + i)))
                                .isEqualTo(Status.OK);
                        assertThat(read(db, "one", null)).containsEntry(field, "" + i);
                    }
                },
                run -> Thread.ofPlatform().start(run));
    }
}
