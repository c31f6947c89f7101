package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaResources;
import io.rdma.structures.VersionedValue;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import io.rdma.testing.structures.DoomedOperation;
import io.rdma.testing.structures.Moment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/**
 * Contract of structures whose clients die by SIGKILL, at each {@link Moment} of each operation. One process holds a
 * participant for each moment, because the start of a process takes long under emulation, and dies with all of them.
 * Each uses a place of its own, so no participant sees another one. RecordProtocolTest of rdma-native lets clients of
 * the same record die.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
abstract class StructureDeathContract {
    private DoomedHost host;
    private RdmaResources resources;
    private Observer observer;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeAll
    void killClients() throws Exception {
        resources = RdmaResources.open(TestDevice.assumed(device()));
        host = new DoomedHost(RdmaResources.open(TestDevice.assumed(device())));
        observer = Observer.of(resources, host.server.port());
        String port = Integer.toString(host.server.port());
        try (JavaProcess doomed = new JavaProcess(DoomedClients.class, device(), port)) {
            assertThat(doomed.await("stopped"))
                    .isEqualTo(Integer.toString(Moment.all().size()));
            doomed.ended(JavaProcess.KILLED);
        }
    }

    @AfterAll
    void nothingIsLeft() {
        if (host == null) {
            return;
        }
        await("the host has ended the connections of the dead")
                .atMost(PATIENCE)
                .until(() -> host.resources.endpoints().size() == 1);
        observer.connection().disposeNow(PATIENCE);
        assertThat(observer.connection().endpoint().sendBuffers().leased()).isZero();
        host.close();
        for (RdmaResources one : List.of(resources, host.resources)) {
            one.close();
            TestDevice.awaitClosed(one.context());
        }
    }

    private static <T> T get(Mono<T> mono) {
        return mono.block(PATIENCE);
    }

    @Test
    void aCounterHasTheAdditionOrNot() {
        for (Moment moment : Moment.of(DoomedOperation.COUNTER_ADD)) {
            long without = Observer.COUNT;
            assertThat(get(observer.counters().get(moment.place())))
                    .as(moment.toString())
                    .isIn(moment.possible(without, without + 1));
            long before = get(observer.counters().get(moment.place()));
            assertThat(get(observer.counters().add(moment.place(), 5))).isEqualTo(before + 5);
        }
    }

    @Test
    void aRecordHasTheOldValueOrTheNewOneAndTakesTheNextPut() {
        for (Moment moment : Moment.of(DoomedOperation.RECORD_PUT)) {
            VersionedValue old = new VersionedValue(1, Observer.OLD_RECORD);
            VersionedValue put = new VersionedValue(2, Observer.NEW_RECORD);
            VersionedValue found = get(observer.records().get(moment.place()));
            assertThat(found).as(moment.toString()).isIn(moment.possible(old, put));
            byte[] next = {1, 2, 3};
            long version = get(observer.records().put(moment.place(), next));
            assertThat(version).as(moment.toString()).isIn(moment.possible(2L, 3L));
            assertThat(version).isGreaterThan(found.version());
            assertThat(get(observer.records().get(moment.place()))).isEqualTo(new VersionedValue(version, next));
        }
    }

    @Test
    void aBucketHasTheOldValueOrTheNewOneAndTakesTheNextPut() {
        for (Moment moment : Moment.of(DoomedOperation.TABLE_PUT)) {
            byte[] key = Observer.key(Observer.bucket(moment));
            VersionedValue old = new VersionedValue(1, Observer.OLD_VALUE);
            VersionedValue put = new VersionedValue(3, Observer.NEW_VALUE);
            assertThat(get(observer.table().get(key))).as(moment.toString()).isIn(moment.possible(old, put));
            takesTheNextPut(moment, key);
        }
    }

    @Test
    void aBucketHasTheOldValueOrNoneAndTakesTheNextPut() {
        for (Moment moment : Moment.of(DoomedOperation.TABLE_REMOVE)) {
            byte[] key = Observer.key(Observer.bucket(moment));
            List<VersionedValue> found = new ArrayList<>();
            observer.table().get(key).blockOptional(PATIENCE).ifPresent(found::add);
            List<VersionedValue> old = List.of(new VersionedValue(1, Observer.OLD_VALUE));
            assertThat(found).as(moment.toString()).isIn(moment.possible(old, List.of()));
            takesTheNextPut(moment, key);
        }
    }

    private void takesTheNextPut(Moment moment, byte[] key) {
        byte[] next = {1, 2, 3};
        long version = get(observer.table().put(key, next));
        assertThat(version).as(moment.toString()).isIn(moment.possible(3L, 4L));
        assertThat(get(observer.table().get(key))).isEqualTo(new VersionedValue(version, next));
        assertThat(get(observer.table().get(Observer.otherKey(Observer.bucket(moment)))))
                .as(moment.toString())
                .isEqualTo(new VersionedValue(2, Observer.OTHER_VALUE));
    }

    @Test
    void aLockIsFreeOrIsAcquiredWithAGreaterTokenAfterItsLease() {
        for (Moment moment :
                Moment.of(DoomedOperation.LOCK_ACQUIRE, DoomedOperation.LOCK_RENEW, DoomedOperation.LOCK_RELEASE)) {
            int lock = Observer.lock(moment);
            boolean acquires = moment.operation() == DoomedOperation.LOCK_ACQUIRE;
            List<Boolean> held = moment.operation() == DoomedOperation.LOCK_RENEW
                    ? List.of(true)
                    : moment.possible(!acquires, acquires);
            long begun = System.nanoTime();
            RdmaLease lease = get(observer.locks().tryAcquire(lock));
            assertThat(lease == null).as(moment.toString()).isIn(held);
            if (lease == null) {
                lease = get(observer.locks().acquire(lock));
                assertThat(System.nanoTime() - begun)
                        .as(moment.toString())
                        .isGreaterThanOrEqualTo(DoomedHost.LEASE.toNanos());
            }
            long before = acquires ? 0 : 1;
            assertThat(lease.token())
                    .as(moment.toString())
                    .isIn(acquires ? moment.possible(before + 1, before + 2) : List.of(before + 1));
            assertThat(host.locks.token(lock)).isEqualTo(lease.token());
            assertThat(get(lease.renew())).isTrue();
            assertThat(get(lease.release())).isTrue();
        }
    }

    @Test
    void aRingHasWholeEntriesInOrderAndEndsBehindThem() {
        for (Moment moment : Moment.of(DoomedOperation.RING_SEND, DoomedOperation.RING_SEND_AT_END)) {
            List<String> entries = get(
                    RdmaRing.receive(host.rings.get(moment)).map(String::new).collectList());
            assertThat(entries)
                    .as(moment.toString())
                    .isIn(moment.possible(List.of(), List.of(new String(Observer.ENTRY))));
            assertThat(host.rings.get(moment).isEnded()).isTrue();
        }
    }
}
