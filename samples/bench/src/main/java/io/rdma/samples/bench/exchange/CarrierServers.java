package io.rdma.samples.bench.exchange;

import java.io.IOException;

/** The servers of all carriers, in a JVM of their own. */
public final class CarrierServers {
    private CarrierServers() {}

    /**
     * Returns the name by which {@link OtherJvm#port} finds a server.
     *
     * @param carrier of the server
     * @param size bytes of a message
     * @return a name
     */
    public static String name(Carrier carrier, int size) {
        return carrier.name() + " " + size;
    }

    /**
     * Runs the servers.
     *
     * @param sizes bytes of a message, one argument each
     * @throws IOException if a server cannot listen
     */
    public static void main(String[] sizes) throws IOException {
        for (String size : sizes) {
            int bytes = Integer.parseInt(size);
            for (Carrier carrier : Carrier.values()) {
                if (carrier.differsFor(bytes)) {
                    OtherJvm.listening(name(carrier, bytes), carrier.serve(bytes));
                }
            }
        }
        OtherJvm.untilTheEnd();
    }
}
