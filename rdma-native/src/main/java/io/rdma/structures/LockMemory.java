package io.rdma.structures;

/** Locks at their host. */
public interface LockMemory extends StructureMemory {
    /**
     * Returns the number of locks.
     *
     * @return 1 or more
     */
    int count();

    /**
     * Returns the token of the last acquisition. A host that gets requests with tokens refuses those with another one:
     * their sender has lost the lock.
     *
     * @param index from 0
     * @return the token; 0 if the lock was never acquired
     * @throws IndexOutOfBoundsException if there is no such lock
     */
    long token(int index);
}
