package io.rdma.samples.bench.exchange;

import org.HdrHistogram.Histogram;

/** The end of an exchange that measures. */
public interface Client extends AutoCloseable {
    /**
     * Sends messages and waits for the answer to each, one after the other.
     *
     * @param count number of messages
     * @param into records the nanoseconds of each
     * @throws Exception if the connection fails
     */
    void pingPong(int count, Histogram into) throws Exception;

    /**
     * Sends messages without a pause. Returns when the last one is answered, so all have arrived.
     *
     * @param count number of messages
     * @throws Exception if the connection fails
     */
    void stream(int count) throws Exception;

    @Override
    void close();
}
