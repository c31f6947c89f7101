package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

// Invariants
// - Offsets are into memory(). What was received stays until the next receive(), what is written at frame() until
// send().
// - One thread at a time but for wake(), which any thread calls at any time; a wake-up is remembered until await()
// ends.

/** A UDP socket that takes and gives datagrams in batches, without an allocation for each. */
public interface LinkSocket extends AutoCloseable {
    /** The longest datagram: a path MTU of 4096 and all headers. */
    int MAX_DATAGRAM = 4096 + 128;

    InetSocketAddress local();

    /** Where datagrams are written and read, direct. */
    ByteBuffer memory();

    /** Where to write the next datagram to send. */
    int frame();

    /** Sends what was written at {@link #frame}, not later than at the next {@link #flush}. */
    void send(int length, UdpAddress to);

    /** Sends all that waits. A datagram that the system does not take is lost, and counted. */
    void flush();

    /**
     * The next datagram.
     *
     * @param from set to where it came from
     * @return its length, or -1 if there is none now
     */
    int receive(UdpAddress from);

    /** Where the datagram of the last {@link #receive} begins. */
    int received();

    /** Datagrams that the system did not take. */
    long lost();

    /** Bytes that may wait to be received, as the system counts them. */
    int receiveBuffer();

    /**
     * Waits for a datagram or a wake-up.
     *
     * @param nanos at most so long, negative for ever
     * @param forPackets false: for a wake-up alone
     */
    void await(long nanos, boolean forPackets);

    /** Ends a wait, this one or the next. */
    void wake();

    @Override
    void close();
}
