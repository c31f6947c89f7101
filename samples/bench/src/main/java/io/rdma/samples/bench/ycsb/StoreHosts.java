package io.rdma.samples.bench.ycsb;

import io.rdma.samples.bench.exchange.OtherJvm;
import java.io.IOException;

/** The hosts of all stores, in a JVM of their own. */
public final class StoreHosts {
    private StoreHosts() {}

    /**
     * Runs the hosts. {@link OtherJvm#port} finds each by the name of its store.
     *
     * @param arguments none
     * @throws IOException if the parent process cannot be watched
     */
    public static void main(String[] arguments) throws IOException {
        for (Store store : Store.values()) {
            OtherJvm.listening(store.name(), store.host().port());
        }
        OtherJvm.untilTheEnd();
    }
}
