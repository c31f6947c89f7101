package io.rdma.samples.cache;

/** The failure of an operation because the memory process does not answer. */
final class Unreachable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unreachable(String what) {
        super(what);
    }

    Unreachable(String what, Throwable cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
