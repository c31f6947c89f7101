package io.rdma.netty;

import io.netty.channel.ChannelOutboundBuffer;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.MessageStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

// Invariants
// - Each accepted message holds a send buffer until its device is done with it. So what is accepted and not delivered
// is bounded by the send buffers, and the rest waits in Netty's outbound buffer, which makes the channel unwritable.
// - `undelivered` counts accepted messages that have not ended. `ended` runs once: when all of them have, or when the
// connection has failed.
// - A message is undelivered from the time when it is filled. Filling it completes writes, and their listeners may
// close the channel or end its output: both come behind that message.
// - An empty message is the end of the stream. No other message is empty.

/** Output of one channel: turns what is flushed into messages, as many bytes in each as there are. Event loop. */
final class ChannelOutput extends MessageStream {
    private final Endpoint endpoint;
    private final Runnable room;
    private final MessageFiller filler;
    private final Deque<GatheredMessage> free = new ArrayDeque<>();
    private int undelivered;
    private boolean waiting; // for a send buffer
    private boolean filling; // a message that is not posted yet
    private boolean endDue; // the end of the stream waits for a send buffer, or for the message that is being filled
    private @Nullable Runnable ended;
    private @Nullable RuntimeException failure;

    /**
     * Creates the output of a connection.
     *
     * @param pool registered memory of the event loop
     * @param room called when a flush that found no room may go on; may flush at once
     */
    ChannelOutput(Endpoint endpoint, SlabPool pool, Runnable room) {
        super(endpoint);
        this.endpoint = endpoint;
        this.room = room;
        this.filler = new MessageFiller(endpoint, pool, this::newMessage);
    }

    private GatheredMessage newMessage() {
        GatheredMessage used = free.poll();
        return used != null ? used : new GatheredMessage(endpoint, this);
    }

    /**
     * Accepts flushed bytes as long as there is room.
     *
     * @throws IOException if the connection has ended
     */
    void accept(ChannelOutboundBuffer flushed) throws IOException {
        while (flushed.current() != null) {
            requireOpen();
            RegisteredBuffer buffer = endpoint.sendBuffers().tryAcquireExclusive();
            if (buffer == null) {
                waiting = true;
                requireOpen(); // the pool has no buffer either if the connection has just ended
                return;
            }
            fillAndSend(buffer, flushed);
        }
    }

    private void requireOpen() throws IOException {
        if (failure != null || endpoint.isClosing()) {
            throw new IOException("Broken pipe", failure != null ? failure : endpoint.failure());
        }
    }

    private void fillAndSend(RegisteredBuffer buffer, ChannelOutboundBuffer flushed) throws IOException {
        undelivered++;
        filling = true;
        GatheredMessage gathered = filler.fill(buffer, flushed);
        filling = false;
        try {
            if (gathered != null) {
                post(gathered);
            } else if (buffer.limit() > 0) {
                post(buffer);
            } else { // there was nothing but empty buffers
                undelivered--;
                buffer.close();
            }
        } finally {
            if (endDue) {
                end();
            }
            runEnded();
        }
        filler.requireNoFailure();
    }

    /** Sends a message that is counted as undelivered. */
    private void post(RegisteredBuffer message) {
        try {
            send(message);
        } catch (Throwable e) {
            undelivered--;
            throw e;
        }
    }

    private void post(GatheredMessage message) {
        try {
            submit(message);
        } catch (Throwable e) {
            undelivered--;
            message.release();
            throw e;
        }
    }

    /** Tells the peer that no more bytes follow. It is still possible to receive. */
    void end() {
        if (failure != null || endpoint.isClosing()) {
            return;
        }
        RegisteredBuffer message = filling ? null : endpoint.sendBuffers().tryAcquireExclusive();
        if (message == null) {
            endDue = true;
        } else {
            endDue = false;
            undelivered++;
            post(message.limit(0));
        }
    }

    /**
     * Runs a task once all that was accepted is delivered, or cannot be delivered any more.
     *
     * @return false if that is the case already, and the task was not taken
     */
    boolean whenDelivered(Runnable task) {
        if (isOver()) {
            return false;
        }
        ended = task;
        return true;
    }

    private boolean isOver() {
        return failure != null || isDelivered();
    }

    @Override
    protected void sent(int messages) {
        undelivered--;
        proceed();
    }

    @Override
    protected void failed(RuntimeException error) {
        undelivered--;
        failure = error;
        endDue = false;
        proceed();
    }

    /** Notes the end of a gathered message, which can be used again. */
    void gathered(GatheredMessage message, @Nullable RuntimeException error) {
        free.push(message);
        if (error == null) {
            sent(1);
        } else {
            failed(error);
        }
    }

    private void proceed() {
        if (endDue) {
            end();
        }
        if (!runEnded() && waiting) {
            waiting = false;
            room.run();
        }
    }

    /** Runs the task of {@link #whenDelivered}, if it is due. Returns whether it was. */
    private boolean runEnded() {
        Runnable task = ended;
        if (task == null || !isOver()) {
            return false;
        }
        ended = null;
        task.run();
        return true;
    }

    /** Returns whether the peer's device has all that was accepted. */
    boolean isDelivered() {
        return failure == null && undelivered == 0 && !endDue;
    }

    /** Notes that the output is complete, so that the close of the connection says so to the peer. */
    void complete() {
        finished();
    }
}
