package io.rdma.structures;

import java.util.Arrays;

/**
 * A value as one READ found it.
 *
 * @param version version of the value, 1 or more; each change of the same record or key has another one
 * @param value bytes of the value, which belong to the caller
 */
public record VersionedValue(long version, byte[] value) {
    /** Compares version and bytes. */
    @Override
    public boolean equals(Object other) {
        return other instanceof VersionedValue that && version == that.version && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(version) + Arrays.hashCode(value);
    }

    /** Shows the version and the length. The bytes may be secret and are left out. */
    @Override
    public String toString() {
        return "VersionedValue[" + version + ", " + value.length + " bytes]";
    }
}
