package io.rdma.samples.bench.startup;

/** A program that does nothing. It shows what starting a JVM costs in any case. */
public final class NoOperation {
    private NoOperation() {}

    /**
     * Reports the end of the program.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Started.say();
    }
}
