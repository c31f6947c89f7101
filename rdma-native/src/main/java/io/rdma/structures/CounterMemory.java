package io.rdma.structures;

/** Counters at their host. */
public interface CounterMemory extends StructureMemory {
    /**
     * Returns the number of counters.
     *
     * @return 1 or more
     */
    int count();

    /**
     * Returns the value of a counter, as the host's processor reads it.
     *
     * @param index from 0
     * @return the value
     * @throws IndexOutOfBoundsException if there is no such counter
     */
    long get(int index);

    /**
     * Adds to a counter by the host's processor.
     *
     * @param index from 0
     * @param addend may be negative; the sum wraps around
     * @return the new value
     * @throws IndexOutOfBoundsException if there is no such counter
     * @throws StructureException NO_ATOMICS if atomics of the device do not exclude those of the processor
     */
    long add(int index, long addend);
}
