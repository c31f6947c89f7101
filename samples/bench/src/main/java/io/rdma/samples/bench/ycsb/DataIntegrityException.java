package io.rdma.samples.bench.ycsb;

/** The failure of a store that has returned other content than was put. */
public final class DataIntegrityException extends Exception {
    private static final long serialVersionUID = 1;

    DataIntegrityException(String message) {
        super(message);
    }
}
