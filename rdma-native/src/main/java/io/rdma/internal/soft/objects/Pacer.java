package io.rdma.internal.soft.objects;

// Invariant: since a limit was set, at most its burst was sent, and what its rate gives for the time since then.

/**
 * Limit of the rate at which a queue pair sends, {@code ibv_modify_qp_rate_limit(3)}: a bucket of bytes, which fills
 * with time, and from which each packet takes its own. Device thread.
 */
public final class Pacer {
    public static final int LOWEST_RATE = 1; // kbit/s
    public static final int HIGHEST_RATE = 100_000_000;

    /** Bytes that the rate counts for the headers of each packet: those of IPv4, UDP, BTH and ICRC. */
    public static final int HEADERS = 20 + 8 + 12 + 4;

    // Level and size of the bucket are in kbit/s times nanoseconds, so that no time is too short to count.
    private static final long BYTE = 8_000_000;
    // Of a burst that the device chooses: the second covers a thread that wakes late.
    private static final int USUAL_PACKETS = 16;
    private static final long USUAL_NANOS = 2_000_000;

    private long rate; // 0: no limit
    private long size;
    private long level;
    private long at; // time of `level`
    private long until; // when a packet of full length may be sent; 0: now, or none waits

    /**
     * Sets or ends the limit.
     *
     * @param kilobitsPerSecond 0 for no limit
     * @param burst bytes, at least those of a packet; 0 for the device's choice
     * @param mtu of the path
     */
    public void limit(int kilobitsPerSecond, int burst, int mtu, long now) {
        rate = kilobitsPerSecond;
        size = burst == 0 ? Math.max(USUAL_PACKETS * packet(mtu), rate * USUAL_NANOS) : burst * BYTE;
        level = size;
        at = now;
        until = 0;
    }

    private static long packet(int mtu) {
        return (mtu + HEADERS) * BYTE;
    }

    /** Adds what the rate has given meanwhile. Before a run. */
    public void refill(long now) {
        if (rate != 0) {
            until = 0;
            level = now - at > (size - level) / rate ? size : level + (now - at) * rate;
            at = now;
        }
    }

    /** Returns how many packets of the path's MTU may be sent now. If none, {@link #wakeAt} is when one may. */
    public int packets(int mtu) {
        if (rate == 0) {
            return Integer.MAX_VALUE;
        }
        int packets = (int) (level / packet(mtu));
        if (packets == 0) {
            until = at + (packet(mtu) - level + rate - 1) / rate | 1; // never 0
        }
        return packets;
    }

    /** Notes bytes of payload that were sent in some packets. */
    public void sent(int payload, int packets) {
        if (rate != 0) {
            level -= (payload + packets * HEADERS) * BYTE;
        }
    }

    /** Returns the earlier time, of one that is given and that of the next packet; 0 is none. */
    public long wakeAt(long other) {
        return until == 0 || other != 0 && other - until < 0 ? other : until;
    }
}
