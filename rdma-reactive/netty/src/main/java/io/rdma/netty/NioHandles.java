package io.rdma.netty;

import io.netty.channel.nio.NioIoHandle;
import io.rdma.environment.Environment;
import io.rdma.internal.close.CloseSteps;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

// Invariants
// - The selector's thread selects, passes the ready keys to the event loop as one task, and waits for the end of that
// task. So a key is not reported twice, and selected keys are stable while the event loop handles them.
// - The event loop alone changes what a key waits for, and wakes the selector if that is more than before.

/**
 * Datagram channels of NIO on an event loop over RDMA, for resolvers that ask DNS. A thread of their own selects; the
 * event loop handles what is ready. Channels of TCP are refused: a program that forgot to choose its channels would run
 * over TCP, and nothing would tell.
 */
final class NioHandles {
    private final Executor loop;
    private final Selector selector;
    private final Thread thread;
    private final Semaphore handled = new Semaphore(0);
    private final Set<NioRegistration> registrations = new LinkedHashSet<>(); // (event loop)

    /**
     * Starts the thread.
     *
     * @param loop the event loop
     * @throws IOException if there is no selector
     */
    NioHandles(Environment environment, Executor loop) throws IOException {
        this.loop = loop;
        selector = Selector.open();
        thread = environment.newThread("rdma-nio", this::select);
        thread.start();
    }

    private void select() {
        try {
            while (selector.isOpen()) {
                selector.select();
                List<SelectionKey> ready = List.copyOf(selector.selectedKeys());
                selector.selectedKeys().clear();
                if (!ready.isEmpty()) {
                    loop.execute(() -> handle(ready));
                    handled.acquire();
                }
            }
        } catch (ClosedSelectorException | RejectedExecutionException | InterruptedException e) {
            // the event loop has ended
        } catch (IOException e) {
            System.getLogger(NioHandles.class.getName())
                    .log(System.Logger.Level.ERROR, "the datagram channels of an event loop receive no more", e);
        }
    }

    private void handle(List<SelectionKey> ready) {
        try {
            for (SelectionKey key : ready) {
                ((NioRegistration) key.attachment()).handle(key);
            }
        } finally {
            handled.release();
        }
    }

    /**
     * Registers a channel. Event loop.
     *
     * @throws IOException if the channel is closed
     */
    NioRegistration register(NioIoHandle handle) throws IOException {
        if (!(handle.selectableChannel() instanceof DatagramChannel)) {
            throw new IllegalArgumentException("an event loop over RDMA takes no channels of TCP, such as "
                    + handle.selectableChannel().getClass().getSimpleName()
                    + ": use RdmaSocketChannel and RdmaServerSocketChannel, or an event loop of NIO");
        }
        NioRegistration registration = new NioRegistration(this, handle, selector);
        registrations.add(registration);
        handle.registered();
        return registration;
    }

    /** Removes a registration. Event loop. */
    void remove(NioRegistration registration) {
        registrations.remove(registration);
        selector.wakeup(); // a closed socket stays open until its key is off the selector
    }

    /** Closes all channels. Event loop. */
    void closeHandles() {
        CloseSteps steps = new CloseSteps();
        List.copyOf(registrations).forEach(one -> steps.run(one::close)); // a close removes its own
        steps.log(NioHandles.class, "a datagram channel was not closed with its event loop");
    }

    /** Ends the thread. */
    void close() {
        new CloseSteps().run(selector::close).log(NioHandles.class, "the selector of datagram channels was not closed");
        thread.interrupt(); // its last task may never run
    }
}
