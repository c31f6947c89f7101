package io.rdma.samples.bench.exchange;

import java.io.IOException;
import java.util.function.Supplier;

// The exchange over each carrier: messages of a fixed size. A message whose first byte is 1 is answered with
// ANSWER_BYTES. A ping-pong requests an answer to each message, a stream only to the last one.

/** A transport of messages between two ends on this host. */
public enum Carrier {
    /** TCP with Reactor. */
    NETTY("Reactor Netty TCP", NettyEnd::new),
    /** TCP with the JDK alone: blocking channels, and one write for each message. */
    NIO("plain NIO", NioEnd::new),
    /** Shared memory, without a kernel or a device between the ends. */
    AERON("Aeron IPC", AeronEnd::new),
    /** This library on its software device. */
    SOFT0("soft0", () -> new RdmaEnd(Integer.MAX_VALUE, Integer.MAX_VALUE)),
    /** The same with large messages cut into those that fit the usual receive buffer, as channels of Netty have it. */
    CUT("soft0, cut", () -> new RdmaEnd(RdmaEnd.USUAL_BUFFER, RdmaEnd.FULL_PACKETS)),
    /** The same with usual receive buffers, so that the receiver reads large messages from the sender's memory. */
    READ("soft0, read", () -> new RdmaEnd(RdmaEnd.USUAL_BUFFER, Integer.MAX_VALUE));

    static final int ANSWER_BYTES = 64;
    static final byte ANSWER = 1;

    private final String label;
    private final Supplier<End> end;

    Carrier(String label, Supplier<End> end) {
        this.label = label;
        this.end = end;
    }

    /**
     * Returns whether the carrier treats messages of a size in a way of its own.
     *
     * @param size bytes of a message
     * @return false for small messages of the ways to send large ones
     */
    public boolean differsFor(int size) {
        return size > RdmaEnd.USUAL_BUFFER || this != CUT && this != READ;
    }

    /**
     * Starts a server that answers.
     *
     * @param size bytes of a message
     * @return its port; it listens as long as the process lives
     * @throws IOException if it cannot listen
     */
    public int serve(int size) throws IOException {
        return end.get().serve(size);
    }

    /**
     * Connects a client.
     *
     * @param port of a server of the same carrier and size
     * @param size bytes of a message
     * @return connected
     * @throws IOException if it cannot connect
     */
    public Client connect(int port, int size) throws IOException {
        return end.get().connect(port, size);
    }

    @Override
    public String toString() {
        return label;
    }

    /** The implementation of one carrier. */
    interface End {
        int serve(int size) throws IOException;

        Client connect(int port, int size) throws IOException;
    }

    /** Returns a message that requests an answer, or one that does not. */
    static byte[] message(int size, boolean answered) {
        byte[] message = new byte[size];
        message[0] = answered ? ANSWER : 0;
        return message;
    }
}
