package io.rdma.internal.engine;

import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.os.StackRoom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Owner of a {@link MessageQueue}: a connection, an endpoint for datagrams, or an XRC receiver. */
public interface MessageSource {
    /**
     * Returns the messages that arrived.
     *
     * @return the same queue always
     */
    MessageQueue receives();

    /**
     * Returns the failure that ended it.
     *
     * @return null while it is open, and after an orderly close
     */
    @Nullable
    Throwable failure();

    /** Closes it in an orderly way. Any thread; does not wait. */
    void close();

    /**
     * Returns a future that completes when it is closed and drained. It never completes exceptionally.
     *
     * @return the future, shared by all callers
     */
    CompletableFuture<Void> closed();

    /**
     * Returns the loop that completes its operations and receives.
     *
     * @return the loop
     */
    CompletionLoop loop();

    /**
     * Runs a step on the loop if the caller's stack is nearly full. A connection must not stay open because the code
     * that closes it is called deep in a recursion.
     *
     * @param step of a close
     * @return false if the caller has room to run it
     * @throws StackOverflowError if there is not even room for that; nothing is closed then
     */
    default boolean handsOver(Runnable step) {
        if (StackRoom.has(StackRoom.SIGNAL)) {
            return false;
        }
        StackRoom.require(StackRoom.RELEASE); // else the loop would not be woken
        CompletionLoop loop = loop();
        if (loop.isLoopThread()) {
            return false;
        }
        loop.execute(step);
        return true;
    }

    /**
     * Runs a step. What it throws is logged, so that the next step runs.
     *
     * @param step of a close
     */
    default void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            loop().listenerThrew(e);
        }
    }
}
