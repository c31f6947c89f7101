package io.rdma.samples.bench.transport;

/** SLF4J, which RSocket uses, without a provider. It would warn of that when its first logger is made. */
public final class QuietSlf4j {
    private QuietSlf4j() {}

    /** Turns the warning off. Called before the first use of RSocket. */
    public static void set() {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }
}
