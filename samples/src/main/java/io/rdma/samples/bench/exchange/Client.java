package io.rdma.samples.bench.exchange;

import org.HdrHistogram.Histogram;

/** The end that measures. */
public interface Client extends AutoCloseable {
    /**
     * Messages there and back, one after the other.
     *
     * @param count how many
     * @param into takes the nanoseconds of each
     * @throws Exception if the connection fails
     */
    void pingPong(int count, Histogram into) throws Exception;

    /**
     * Messages without a pause; returns when the last one is answered, so all have arrived.
     *
     * @param count how many
     * @throws Exception if the connection fails
     */
    void stream(int count) throws Exception;

    @Override
    void close();
}
