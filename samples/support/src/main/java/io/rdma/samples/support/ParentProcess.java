package io.rdma.samples.support;

import java.io.IOException;

/** The process that started this one and holds the other end of its standard input. */
public final class ParentProcess {
    private ParentProcess() {}

    /**
     * Waits until the parent has ended or closes its end of the standard input.
     *
     * @throws IOException if standard input cannot be read
     */
    public static void awaitEnd() throws IOException {
        while (System.in.read() >= 0) {
            // input is ignored
        }
    }

    /** Makes this process end when {@link #awaitEnd} would return. Does not wait. */
    public static void endWithIt() {
        Thread.ofVirtual().start(() -> {
            try {
                awaitEnd();
            } catch (IOException e) {
                // treated like the end of the input
            }
            System.exit(0);
        });
    }
}
