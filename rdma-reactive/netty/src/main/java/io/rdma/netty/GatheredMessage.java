package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.GatherOperation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

// Invariant: the send buffer and the buffers of the pieces are held from the first add until the operation has ended,
// and are released exactly once.

/** Message that the device gathers from buffers of the pipeline and a send buffer with what was copied. Event loop. */
final class GatheredMessage extends GatherOperation {
    private final ChannelOutput output;
    private final List<ByteBuf> kept = new ArrayList<>();
    private @Nullable RegisteredBuffer copied;

    GatheredMessage(Endpoint endpoint, ChannelOutput output) {
        super(endpoint);
        this.output = output;
    }

    /**
     * Begins a message.
     *
     * @param buffer for the bytes that are copied; released with the message
     */
    void begin(RegisteredBuffer buffer) {
        copied = buffer;
    }

    /** Keeps a buffer that has some of the pieces until the message has ended. */
    void keep(ByteBuf buffer) {
        kept.add(buffer.retain());
    }

    /** Gives back what the message holds. */
    void release() {
        clear();
        RegisteredBuffer buffer = copied;
        copied = null;
        if (buffer != null) {
            buffer.close();
        }
        for (ByteBuf one : kept) {
            one.release();
        }
        kept.clear();
    }

    @Override
    protected void completed(long value) {
        release();
        output.gathered(this, null);
    }

    @Override
    protected void failed(RuntimeException error) {
        release();
        output.gathered(this, error);
    }
}
