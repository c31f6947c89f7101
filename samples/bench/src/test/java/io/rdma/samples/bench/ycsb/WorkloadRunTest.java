package io.rdma.samples.bench.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.TableMemory;
import io.rdma.structures.VersionedValue;
import io.rdma.verbs.RdmaDevices;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import site.ycsb.DB;
import site.ycsb.workloads.CoreWorkload;

/** The judge: which stores pass the workloads, and which do not. */
class WorkloadRunTest {
    /** Enough for some operations. A run has one at least, however slow it is. */
    private static final long SHORT = 20_000_000;

    private static Outcome run(Workloads workload, DB store) throws Exception {
        WorkloadRun runs = new WorkloadRun("store", List.of(store));
        runs.load();
        return runs.run(workload, SHORT);
    }

    @ParameterizedTest
    @EnumSource(Workloads.class)
    void aStoreThatReturnsWhatWasPutPasses(Workloads workload) throws Exception {
        MemoryDb store = new MemoryDb();
        Outcome outcome = run(workload, store);
        assertThat(outcome.operations()).isPositive();
        assertThat(outcome.operationsInAMillisecond()).isPositive();
        assertThat(outcome.times()).isNotEmpty();
        assertThat(store.values).as("without what was inserted").hasSize(Workloads.RECORDS);
    }

    @Test
    void theValueOfAnotherKeyIsRefused() {
        DB wrong = new MemoryDb() {
            @Override
            protected VersionedValue get(byte[] key) {
                return values.values().iterator().next();
            }
        };
        assertThatThrownBy(() -> run(Workloads.C, wrong))
                .isInstanceOf(DataIntegrityException.class)
                .hasMessageContaining("UNEXPECTED_STATE");
    }

    @Test
    void aRecordWithoutFieldsIsRefused() {
        DB wrong = new MemoryDb() {
            @Override
            protected VersionedValue get(byte[] key) {
                return new VersionedValue(1, Fields.encode(Map.of()));
            }
        };
        assertThatThrownBy(() -> run(Workloads.C, wrong))
                .isInstanceOf(DataIntegrityException.class)
                .hasMessageContaining("ERROR");
    }

    @Test
    void aRecordThatIsNotFoundIsRefused() {
        DB wrong = new MemoryDb() {
            @Override
            protected VersionedValue get(byte[] key) {
                return null;
            }
        };
        assertThatThrownBy(() -> run(Workloads.C, wrong))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("NOT_FOUND");
    }

    @Test
    void theFailureOfAStoreIsTheCause() {
        IllegalStateException failure = new IllegalStateException("no more");
        DB wrong = new MemoryDb() {
            @Override
            protected VersionedValue get(byte[] key) {
                throw failure;
            }
        };
        assertThatThrownBy(() -> run(Workloads.C, wrong)).hasCause(failure).hasMessageContaining("store");
    }

    /** One wrong row among many that are right. */
    @Test
    void aRunAfterAFailedOneIsJudgedAlone() throws Exception {
        MemoryDb once = new MemoryDb() {
            private boolean wrong = true;

            @Override
            protected VersionedValue get(byte[] key) {
                VersionedValue right = super.get(key);
                if (wrong) {
                    wrong = false;
                    byte[] value = right.value().clone();
                    value[value.length - 1]++;
                    return new VersionedValue(right.version(), value);
                }
                return right;
            }
        };
        WorkloadRun runs = new WorkloadRun("store", List.of(once));
        runs.load();
        assertThatThrownBy(() -> runs.run(Workloads.C, SHORT)).isInstanceOf(DataIntegrityException.class);
        assertThat(runs.run(Workloads.C, SHORT).operations()).isPositive();
    }

    @Test
    void theTableHasRoomForTwiceTheRecords() throws Exception {
        CoreWorkload workload = Workloads.C.begin();
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
                TableMemory memory = RdmaTable.allocate(resources, TableGeometry.options())) {
            DB table = new MemoryDb() {
                @Override
                protected void put(byte[] key, byte[] value) {
                    memory.put(key, value).join();
                }
            };
            for (int record = 0; record < 2 * Workloads.RECORDS; record++) {
                assertThat(workload.doInsert(table, this)).isTrue();
            }
        }
    }
}
