package io.rdma.samples.bench.transport;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client of a server in the other JVM, which sends requests of one kind. */
public interface Load extends AutoCloseable {
    /**
     * Sends a request. Does not wait. Several requests may be in progress.
     *
     * @param ended runs at the end of the answer, with the failure or with null
     */
    void send(Consumer<@Nullable Throwable> ended);

    /**
     * Returns the bytes that the threads of the server's JVM have allocated so far.
     *
     * @return bytes
     * @throws Exception if the server does not answer
     */
    long allocatedByServer() throws Exception;

    @Override
    void close();
}
