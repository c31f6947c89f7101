package io.rdma.samples.bench.ycsb;

/** SLF4J, which RSocket uses, without a provider. It would warn of that when its first logger is made. */
final class QuietSlf4j {
    private QuietSlf4j() {}

    /** Turns the warning off. Called before the first use of RSocket. */
    static void set() {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }
}
