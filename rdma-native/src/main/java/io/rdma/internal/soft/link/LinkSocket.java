package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

// Invariants
// - Offsets refer to memory(). A received datagram stays until the next receive(), one written at frame() until send().
// - One thread at a time calls the methods, except for wake(), which any thread may call at any time. A wake-up is
// remembered until await() ends.

/** A UDP socket that sends and receives datagrams in batches, without an allocation for each. */
public interface LinkSocket extends AutoCloseable {
    /** Bytes of the longest datagram: a path MTU of 4096 and all headers. */
    int MAX_DATAGRAM = 4096 + 128;

    InetSocketAddress local();

    /** Returns the direct buffer in which datagrams are written and read. */
    ByteBuffer memory();

    /** Returns the offset at which to write the next datagram to send. */
    int frame();

    /** Sends the datagram that was written at {@link #frame}, now or at the next {@link #flush}. */
    void send(int length, UdpAddress to);

    /** Sends all queued datagrams. A datagram that the kernel refuses is lost and counted. */
    void flush();

    /**
     * Receives the next datagram.
     *
     * @param from set to the sender's address
     * @return its length, or -1 if there is none now
     */
    int receive(UdpAddress from);

    /** Returns the offset of the datagram of the last {@link #receive}. */
    int received();

    /**
     * Returns whether datagrams have the hop limit and the flow label of the address that they are sent to. If not,
     * they have those of the host. All have the traffic class.
     */
    boolean hasHeaders();

    /** Returns the number of datagrams that the kernel refused to send. */
    long lost();

    /** Returns the size of the receive buffer in bytes, as the kernel charges them. */
    int receiveBuffer();

    /**
     * Waits for a datagram or a wake-up.
     *
     * @param nanos upper bound of the wait; negative for none
     * @param forPackets false to wait for a wake-up only
     */
    void await(long nanos, boolean forPackets);

    /** Ends the current wait, or the next one if there is none. */
    void wake();

    @Override
    void close();
}
