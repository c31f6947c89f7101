package io.rdma.testing.seam;

/** Method of the library behind a {@link FaultySeam}. */
@FunctionalInterface
interface SeamTarget {
    /** Calls the method. */
    Object invoke(Object... arguments) throws Throwable;
}
