package io.rdma.samples.bench.startup;

/** Does nothing: what starting a JVM costs in any case. */
public final class NoOperation {
    private NoOperation() {}

    /**
     * Says that it was here.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Started.say();
    }
}
