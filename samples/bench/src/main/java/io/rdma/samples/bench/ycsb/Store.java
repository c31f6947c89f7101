package io.rdma.samples.bench.ycsb;

import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The stores that are compared. They have the same operations. */
public enum Store {
    /** One-sided operations on the software device. */
    RDMA_TABLE("RdmaTable", TableHost::new, RdmaTableDb::new),
    /** A map, whose process executes requests that come by RSocket over TCP. */
    RSOCKET_TCP("RSocket TCP", MapHost::new, RSocketDb::new);

    static final String ADDRESS = "127.0.0.1";

    private final String label;
    private final Supplier<Host> host;
    private final IntFunction<VersionedDb> client;

    Store(String label, Supplier<Host> host, IntFunction<VersionedDb> client) {
        this.label = label;
        this.host = host;
        this.client = client;
    }

    /**
     * Starts the host in this process.
     *
     * @return an empty store
     */
    Host host() {
        return host.get();
    }

    /**
     * Returns a client that is not connected yet.
     *
     * @param port of a host of the same store
     * @return a client whose {@code init} connects it
     */
    public VersionedDb client(int port) {
        return client.apply(port);
    }

    @Override
    public String toString() {
        return label;
    }

    /** A process that has the data of a store. */
    interface Host extends AutoCloseable {
        int port();

        @Override
        void close();
    }
}
