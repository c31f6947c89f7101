package io.rdma.samples.bench.exchange;

import java.io.IOException;
import java.util.function.Supplier;

// The exchange, over each of them: messages of a fixed size; one whose first byte is 1 is answered with ANSWER_BYTES. A
// ping-pong asks for an answer to each, a stream to its last one.

/** What carries messages between two ends on this host. */
public enum Carrier {
    /** TCP as users of Reactor have it. */
    NETTY("Reactor Netty TCP", NettyEnd::new),
    /** TCP with the JDK alone: blocking channels, a write for each message. */
    NIO("plain NIO", NioEnd::new),
    /** This library on its software device. */
    SOFT0("soft0", RdmaEnd::new);

    static final int ANSWER_BYTES = 64;
    static final byte ANSWER = 1;

    private final String label;
    private final Supplier<End> end;

    Carrier(String label, Supplier<End> end) {
        this.label = label;
        this.end = end;
    }

    /**
     * A server that answers.
     *
     * @param size bytes of a message
     * @return its port; it listens as long as the process lives
     * @throws IOException if it cannot listen
     */
    public int serve(int size) throws IOException {
        return end.get().serve(size);
    }

    /**
     * A client.
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

    /** How one of them does it. */
    interface End {
        int serve(int size) throws IOException;

        Client connect(int port, int size) throws IOException;
    }

    /** A message that asks for an answer, or none. */
    static byte[] message(int size, boolean answered) {
        byte[] message = new byte[size];
        message[0] = answered ? ANSWER : 0;
        return message;
    }
}
