package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.VersionedValue;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// A record is linearizable if its versions are: each version has one value; each value is of one version; a call that
// begins after another one has ended meets no older version than that, and a put a newer one.

/** What calls on one record have observed. */
final class RecordHistory {
    private final Map<Long, String> values = new HashMap<>();
    private final Map<String, Long> versions = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private long newest;

    /** Returns the newest version that any call has met so far. */
    long newest() {
        return newest;
    }

    /** A put has succeeded that began when the newest version was the given one. */
    void put(String value, long version, long atStart) {
        assertThat(version).as("version of a put that began behind %s", atStart).isGreaterThan(atStart);
        met(value, version);
    }

    /** A conditional put was refused, so its value must never be seen. */
    void refused(String value) {
        refused.add(value);
        assertThat(versions).doesNotContainKey(value);
    }

    /** A get has succeeded that began when the newest version was the given one. */
    void got(@Nullable VersionedValue found, long atStart) {
        long version = found == null ? 0 : found.version();
        assertThat(version).as("version of a get").isGreaterThanOrEqualTo(atStart);
        if (found != null) {
            met(new String(found.value(), StandardCharsets.UTF_8), version);
        }
    }

    private void met(String value, long version) {
        assertThat(values.merge(version, value, (before, now) -> before))
                .as("value of version %s", version)
                .isEqualTo(value);
        assertThat(versions.merge(value, version, (before, now) -> before))
                .as("version of value %s", value)
                .isEqualTo(version);
        assertThat(refused).doesNotContain(value);
        newest = Math.max(newest, version);
    }
}
