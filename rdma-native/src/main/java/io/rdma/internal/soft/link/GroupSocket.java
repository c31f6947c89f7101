package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.nio.ByteBuffer;

// Invariants
// - One thread receives. A received datagram stays until the next receive().
// - Any thread may close the socket at any time. That ends the wait of the receiving thread, with an exception.

/** Receiving UDP socket of one multicast group. */
public interface GroupSocket extends AutoCloseable {
    /** Returns the direct buffer that begins with the datagram of the last {@link #receive}. */
    ByteBuffer memory();

    /**
     * Waits for the next datagram.
     *
     * @param from set to the sender's address
     * @return its length
     * @throws IOException if the socket is closed, or for an ICMP error; without a close it remains usable
     */
    int receive(UdpAddress from) throws IOException;

    /** Returns whether the socket is not closed. */
    boolean isOpen();

    @Override
    void close();
}
