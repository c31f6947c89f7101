package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.Clients;
import io.rdma.samples.bench.transport.Load;
import java.util.Map;

/**
 * A kind of requests that are sent over each transport.
 *
 * @param name for figures
 * @param atOnce number of requests in progress
 * @param megabytes answered to a request, if the rate of bytes is wanted; else 0
 * @param connect makes a client of a server's port
 * @param bars by the names of {@link TransportRun}'s figures: what the ratio of RDMA to TCP has to meet
 */
record TransportRequest(String name, int atOnce, double megabytes, Connect connect, Map<String, Bar> bars) {
    /** Makes a client. */
    @FunctionalInterface
    interface Connect {
        Load to(Clients clients, String host, int port);
    }
}
