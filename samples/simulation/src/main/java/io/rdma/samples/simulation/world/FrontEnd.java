package io.rdma.samples.simulation.world;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.RdmaResources;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Public interface of the library as the programs of a run use it: the Reactor front-end, or the coroutines. */
public interface FrontEnd {
    /** Front-end of a host, and where its coroutines run. */
    enum Kind {
        REACTOR,
        /** On any thread. */
        COROUTINES,
        /** On any thread, one at a time. */
        SEQUENTIAL_COROUTINES,
        /** On the thread that resumes them, such as a completion loop. */
        UNCONFINED_COROUTINES
    }

    /** Time between a loss and the next attempt to connect. */
    Duration BEFORE_RETRY = Duration.ofMillis(10);

    /**
     * What a connection needs.
     *
     * @param resources of the device
     * @param options changes of the usual options
     * @param address of the server
     * @param refusals reasons for which the server refuses a client; empty if it does not
     */
    record Setup(
            RdmaResources resources,
            UnaryOperator<ConnectionOptions> options,
            InetSocketAddress address,
            Set<Reason> refusals) {
        /** Returns a failure to connect, as one of the application if the server was to refuse. */
        Throwable judged(Throwable failure) {
            return failure instanceof RdmaConnectException known && refusals.contains(known.reason())
                    ? new Verdict.ApplicationFailure("was refused: " + known.reason(), failure)
                    : failure;
        }
    }

    /** What a server does with a connection. */
    @FunctionalInterface
    interface Handler {
        /**
         * Serves a connection, on a thread of its own, which may block. The connection ends when this returns.
         *
         * @throws RuntimeException if the connection must not look as if it had ended in an orderly way
         */
        void serve(Link link);
    }

    /** Bound server. */
    interface Service {
        /** Stops the server. Ends when nothing of it is left. */
        Call<Void> stop();
    }

    /** Begins to connect. A connection that is made for a call that was cancelled is closed. */
    Call<Link> connect(String name, Setup setup);

    /**
     * Connects, and connects again after each loss, until a handler returns. A connection ends when its handler has.
     *
     * @param retries number of attempts that may fail
     */
    Call<Void> reconnect(String name, Setup setup, int retries, Handler handler);

    /** Binds a server, and waits until it is bound. */
    Service bind(Setup setup, Handler handler);
}
