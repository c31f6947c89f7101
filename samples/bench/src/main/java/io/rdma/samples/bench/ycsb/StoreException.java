package io.rdma.samples.bench.ycsb;

import org.jspecify.annotations.Nullable;

/** The failure of an operation of a store. */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    StoreException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
