package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.Clients;
import io.rdma.samples.bench.transport.Load;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A kind of requests that are sent over each transport.
 *
 * @param name for figures
 * @param atOnce number of requests in progress
 * @param stream what answers a request, if that is a stream; else null
 * @param connect makes a client of a server's port
 * @param bars by the names of {@link TransportRun}'s figures: what the ratio of RDMA to TCP has to meet
 */
record TransportRequest(String name, int atOnce, @Nullable Stream stream, Connect connect, Map<String, Bar> bars) {
    /**
     * An answer of many messages. Its rate is that of messages if they are small, else that of bytes.
     *
     * @param messages number of them
     * @param size bytes of each
     */
    record Stream(int messages, int size) {
        private static final int SMALL = 1024;

        /** Returns the unit of the rate. */
        String rateUnit() {
            return size < SMALL ? "messages/ms" : "MB/s";
        }

        /** Returns the number of units that arrive in a second. */
        double rate(double streamsInASecond) {
            return streamsInASecond * (size < SMALL ? messages / 1e3 : messages * (double) size / 1e6);
        }

        /** Returns the unit of processor time. */
        String timeUnit() {
            return size < SMALL ? "us/message" : "us/MB";
        }

        /** Returns the microseconds for each message or megabyte. */
        double time(double microsOfAStream) {
            return microsOfAStream / (size < SMALL ? messages : messages * (double) size / 1e6);
        }
    }

    /** Makes a client. */
    @FunctionalInterface
    interface Connect {
        Load to(Clients clients, String host, int port);
    }
}
