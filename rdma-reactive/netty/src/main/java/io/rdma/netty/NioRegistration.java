package io.rdma.netty;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Datagram channel of NIO on an event loop over RDMA. All methods are called by the event loop. */
final class NioRegistration implements IoRegistration {
    private final NioHandles owner;
    private final NioIoHandle handle;
    private final SelectionKey key;
    private boolean cancelled;

    /**
     * Registers a channel, which waits for nothing so far.
     *
     * @throws IOException if the channel is closed
     */
    NioRegistration(NioHandles owner, NioIoHandle handle, Selector selector) throws IOException {
        this.owner = owner;
        this.handle = handle;
        key = handle.selectableChannel().register(selector, 0, this);
    }

    /** Returns the key, which channels of NIO ask for. */
    @Override
    @SuppressWarnings("unchecked")
    public <T> T attachment() {
        return (T) key;
    }

    @Override
    public long submit(IoOps ops) {
        if (!isValid()) {
            return -1;
        }
        int wanted = ((NioIoOps) ops).value();
        int before = key.interestOps();
        key.interestOps(wanted);
        if ((wanted & ~before) != 0) {
            key.selector().wakeup();
        }
        return wanted;
    }

    @Override
    public boolean isValid() {
        return !cancelled && key.isValid();
    }

    @Override
    public boolean cancel() {
        if (cancelled) {
            return false;
        }
        cancelled = true;
        key.cancel();
        owner.remove(this);
        handle.unregistered();
        return true;
    }

    /** Has the channel handle what it is ready for, and still waits for. */
    void handle(SelectionKey selected) {
        if (isValid()) {
            int ready = selected.readyOps() & selected.interestOps();
            if (ready != 0) {
                NioIoEvent event = () -> NioIoOps.valueOf(ready);
                handle.handle(this, event);
            }
        }
    }

    /**
     * Closes the channel.
     *
     * @throws Exception if that fails
     */
    void close() throws Exception {
        cancel();
        handle.close();
    }
}
