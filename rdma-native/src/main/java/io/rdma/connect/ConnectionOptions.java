package io.rdma.connect;

import io.rdma.types.QueuePairCapacity;
import io.rdma.verbs.QueuePairType;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Options of connections; immutable. Names are those of C where C has one.
 *
 * @param queuePair depths; the receive depth is raised to the number of receive buffers, and the default of 4 entries
 *     of a send is lowered to the device's {@code max_sge}
 * @param receiveBuffers number of buffers that are posted in advance
 * @param receiveBufferSize bytes of each, at least 32: the largest message that arrives in a receive buffer instead of
 *     being read from the sender
 * @param maxMessageSize bytes of the largest message that is accepted, up to 1 GiB, at least {@code receiveBufferSize}.
 *     A message that exceeds a receive buffer is read from the sender into memory that is registered for it. Without
 *     credits no message may exceed a receive buffer
 * @param sendBuffers number of buffers in the send pool
 * @param sendBufferSize bytes of each: the largest message of the scoped send
 * @param signalEvery a completion at least every so many sends, at most half the send depth
 * @param maxRdAtomic reads and atomics in flight, in either direction; the smallest value of both sides and their
 *     devices is used
 * @param timeout acknowledge time-out: 4.096 us times 2 to the power of it, 1 to 31 (0, an endless wait, is refused)
 * @param retryCnt retries after a time-out, 0 to 7; {@code rdma_rxe} takes 7 for retries without end, and never notices
 *     a peer that is gone
 * @param rnrRetry retries while the peer has no receive posted, 0 to 6; 7 is without end, by which a slow receiver
 *     slows the sender down where no credits are counted
 * @param minRnrTimer code of the pause before such a retry, 1 to 31: 14 is 1.28 ms
 * @param flowControl mechanism that keeps a fast sender from overrunning a slow receiver
 * @param connectMethod method of making connections
 * @param tls for the exchange: both sides authenticate by certificate, and the parameters are sent encrypted; null for
 *     plain TCP. Where RDMA CM makes the connection, the exchange comes first and gives the client a token for it. The
 *     data itself is never encrypted, see docs/operate/security.md
 * @param verifyServerName whether a client with TLS requires the server's certificate to be for the name or address
 *     that it connects to, as HTTPS does. Otherwise it accepts any certificate that the trust store accepts, for any
 *     server it connects to
 * @param verifyPeerGid whether the GID that a peer names in the exchange, to which packets are sent, must be an address
 *     of the host that the exchange came from. Otherwise a peer can make this side send to a third host. False is for
 *     hosts whose exchange takes another route than their data: a management network, or NAT. The end of an alternate
 *     path is not checked if TLS has authenticated the peer
 * @param ownProtectionDomain whether each connection has a protection domain of its own. A key then cannot be used on
 *     any other connection, but connections cannot share memory and buffers either
 * @param handshakeTimeout for the whole exchange
 * @param drainTimeout time that a close waits for its farewell to arrive, and then for the device
 * @param probeInterval time without activity after which a connection probes its peer by a write of no bytes, so that
 *     the device's retries end the connection if the peer is gone; zero for never. Used if both sides use this library.
 *     TCP keep-alive of the exchange's connection has the same interval
 * @param orderlyDisconnect whether a disconnect by the connection manager counts as an orderly end if the peer sends no
 *     farewell in band, because it has no credits or is another program. The kernel disconnects for a killed process as
 *     well: choose false where a stream that was cut must not look complete
 * @param path quality of service, port, partition and GID of the packets that this side sends
 * @param queuePairType RC for a reliable connection, UC for an unreliable one, whose messages may be lost, see
 *     docs/guide/connecting.md; the same on both sides
 */
public record ConnectionOptions(
        QueuePairCapacity queuePair,
        int receiveBuffers,
        int receiveBufferSize,
        int maxMessageSize,
        int sendBuffers,
        int sendBufferSize,
        int signalEvery,
        int maxRdAtomic,
        int timeout,
        int retryCnt,
        int rnrRetry,
        int minRnrTimer,
        FlowControl flowControl,
        ConnectMethod connectMethod,
        @Nullable SSLContext tls,
        boolean verifyServerName,
        boolean verifyPeerGid,
        boolean ownProtectionDomain,
        Duration handshakeTimeout,
        Duration drainTimeout,
        Duration probeInterval,
        boolean orderlyDisconnect,
        PathOptions path,
        QueuePairType queuePairType) {
    /**
     * Longest {@code handshakeTimeout}: sockets and RDMA CM count milliseconds in 32 bits. Declared before DEFAULT,
     * which uses it.
     */
    private static final Duration LONGEST_HANDSHAKE = Duration.ofMillis(Integer.MAX_VALUE);

    /** Longest {@code drainTimeout}: practically without end, but clocks can add it without overflow. */
    private static final Duration FOR_EVER = Duration.ofDays(365 * 100);

    /**
     * Defaults: 128 sends of up to 4 entries if the device has so many, 128 receive buffers and 64 send buffers of
     * 8 KiB, one completion for every 32 sends, 16 reads, a time-out of 67 ms with 6 retries, 30 s for the exchange, a
     * probe after 10 s.
     */
    public static final ConnectionOptions DEFAULT = new ConnectionOptions(
            QueuePairCapacity.DEFAULT.withMaxSendSge(4),
            128,
            8192,
            64 << 20,
            64,
            8192,
            32,
            16,
            14,
            6,
            7,
            14,
            FlowControl.CREDITS,
            ConnectMethod.AUTOMATIC,
            null,
            true,
            true,
            false,
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            true,
            PathOptions.DEFAULT,
            QueuePairType.RC);

    /** Checks the ranges. Cuts times that are too long for the clocks, so that none overflows. */
    public ConnectionOptions {
        range("receiveBuffers", receiveBuffers, 1, 1 << 16);
        range("receiveBufferSize", receiveBufferSize, 32, 1 << 30);
        maxMessageSize = Math.max(maxMessageSize, receiveBufferSize);
        range("maxMessageSize", maxMessageSize, 1, 1 << 30);
        range("sendBuffers", sendBuffers, 1, 1 << 16);
        range("sendBufferSize", sendBufferSize, 1, 1 << 30);
        range("signalEvery", signalEvery, 1, 1 << 16);
        range("maxRdAtomic", maxRdAtomic, 1, 255);
        range("timeout", timeout, 1, 31);
        range("retryCnt", retryCnt, 0, 7);
        range("rnrRetry", rnrRetry, 0, 7);
        range("minRnrTimer", minRnrTimer, 1, 31);
        positive("handshakeTimeout", handshakeTimeout);
        positive("drainTimeout", drainTimeout);
        if (probeInterval.isNegative()) {
            throw new IllegalArgumentException("probeInterval must be zero (no probes) or positive: " + probeInterval);
        }
        if (queuePairType != QueuePairType.RC && queuePairType != QueuePairType.UC) {
            throw new IllegalArgumentException("queuePairType must be RC or UC: " + queuePairType
                    + ". Datagrams (UD) have sockets of their own, RdmaDatagramSocket, and extended reliable"
                    + " connections (XRC) have senders and servers of their own, RdmaXrcSender and RdmaXrcServer");
        }
        handshakeTimeout = atMost(LONGEST_HANDSHAKE, handshakeTimeout);
        drainTimeout = atMost(FOR_EVER, drainTimeout);
        if (queuePair.maxReceiveWr() < receiveBuffers) {
            queuePair = queuePair.withMaxReceiveWr(receiveBuffers);
        }
    }

    private static void range(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(name + " must be from " + low + " to " + high + ": " + value);
        }
    }

    private static Duration atMost(Duration longest, Duration value) {
        return value.compareTo(longest) > 0 ? longest : value;
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be positive: " + value);
        }
    }

    /**
     * Returns a copy with other depths.
     *
     * @param queuePair see the record
     * @return a copy
     */
    public ConnectionOptions withQueuePair(QueuePairCapacity queuePair) {
        return copy(e -> e.queuePair = queuePair);
    }

    /**
     * Returns a copy with another receive ring.
     *
     * @param receiveBuffers see the record
     * @param receiveBufferSize see the record
     * @return a copy
     */
    public ConnectionOptions withReceiveBuffers(int receiveBuffers, int receiveBufferSize) {
        return copy(e -> {
            e.receiveBuffers = receiveBuffers;
            e.receiveBufferSize = receiveBufferSize;
        });
    }

    /**
     * Returns a copy with another value of {@code maxMessageSize}.
     *
     * @param maxMessageSize see the record
     * @return a copy
     */
    public ConnectionOptions withMaxMessageSize(int maxMessageSize) {
        return copy(e -> e.maxMessageSize = maxMessageSize);
    }

    /**
     * Returns a copy with another send pool.
     *
     * @param sendBuffers see the record
     * @param sendBufferSize see the record
     * @return a copy
     */
    public ConnectionOptions withSendBuffers(int sendBuffers, int sendBufferSize) {
        return copy(e -> {
            e.sendBuffers = sendBuffers;
            e.sendBufferSize = sendBufferSize;
        });
    }

    /**
     * Returns a copy with another value of {@code signalEvery}.
     *
     * @param signalEvery see the record
     * @return a copy
     */
    public ConnectionOptions withSignalEvery(int signalEvery) {
        return copy(e -> e.signalEvery = signalEvery);
    }

    /**
     * Returns a copy with another value of {@code maxRdAtomic}.
     *
     * @param maxRdAtomic see the record
     * @return a copy
     */
    public ConnectionOptions withMaxRdAtomic(int maxRdAtomic) {
        return copy(e -> e.maxRdAtomic = maxRdAtomic);
    }

    /**
     * Returns a copy with another value of {@code timeout}.
     *
     * @param timeout see the record
     * @return a copy
     */
    public ConnectionOptions withTimeout(int timeout) {
        return copy(e -> e.timeout = timeout);
    }

    /**
     * Returns a copy with another value of {@code retryCnt}.
     *
     * @param retryCnt see the record
     * @return a copy
     */
    public ConnectionOptions withRetryCnt(int retryCnt) {
        return copy(e -> e.retryCnt = retryCnt);
    }

    /**
     * Returns a copy with another value of {@code rnrRetry}.
     *
     * @param rnrRetry see the record
     * @return a copy
     */
    public ConnectionOptions withRnrRetry(int rnrRetry) {
        return copy(e -> e.rnrRetry = rnrRetry);
    }

    /**
     * Returns a copy with another value of {@code minRnrTimer}.
     *
     * @param minRnrTimer see the record
     * @return a copy
     */
    public ConnectionOptions withMinRnrTimer(int minRnrTimer) {
        return copy(e -> e.minRnrTimer = minRnrTimer);
    }

    /**
     * Returns a copy with another value of {@code flowControl}.
     *
     * @param flowControl see the record
     * @return a copy
     */
    public ConnectionOptions withFlowControl(FlowControl flowControl) {
        return copy(e -> e.flowControl = flowControl);
    }

    /**
     * Returns a copy with another value of {@code connectMethod}.
     *
     * @param connectMethod see the record
     * @return a copy
     */
    public ConnectionOptions withConnectMethod(ConnectMethod connectMethod) {
        return copy(e -> e.connectMethod = connectMethod);
    }

    /**
     * Returns a copy with another value of {@code tls}.
     *
     * @param tls see the record
     * @return a copy
     */
    public ConnectionOptions withTls(@Nullable SSLContext tls) {
        return copy(e -> e.tls = tls);
    }

    /**
     * Returns a copy with another value of {@code verifyServerName}.
     *
     * @param verifyServerName see the record
     * @return a copy
     */
    public ConnectionOptions withVerifyServerName(boolean verifyServerName) {
        return copy(e -> e.verifyServerName = verifyServerName);
    }

    /**
     * Returns a copy with another value of {@code verifyPeerGid}.
     *
     * @param verifyPeerGid see the record
     * @return a copy
     */
    public ConnectionOptions withVerifyPeerGid(boolean verifyPeerGid) {
        return copy(e -> e.verifyPeerGid = verifyPeerGid);
    }

    /**
     * Returns a copy with another value of {@code ownProtectionDomain}.
     *
     * @param ownProtectionDomain see the record
     * @return a copy
     */
    public ConnectionOptions withOwnProtectionDomain(boolean ownProtectionDomain) {
        return copy(e -> e.ownProtectionDomain = ownProtectionDomain);
    }

    /**
     * Returns a copy with another value of {@code handshakeTimeout}.
     *
     * @param handshakeTimeout see the record
     * @return a copy
     */
    public ConnectionOptions withHandshakeTimeout(Duration handshakeTimeout) {
        return copy(e -> e.handshakeTimeout = handshakeTimeout);
    }

    /**
     * Returns a copy with another value of {@code drainTimeout}.
     *
     * @param drainTimeout see the record
     * @return a copy
     */
    public ConnectionOptions withDrainTimeout(Duration drainTimeout) {
        return copy(e -> e.drainTimeout = drainTimeout);
    }

    /**
     * Returns a copy with another value of {@code probeInterval}.
     *
     * @param probeInterval see the record
     * @return a copy
     */
    public ConnectionOptions withProbeInterval(Duration probeInterval) {
        return copy(e -> e.probeInterval = probeInterval);
    }

    /**
     * Returns a copy with another value of {@code orderlyDisconnect}.
     *
     * @param orderlyDisconnect see the record
     * @return a copy
     */
    public ConnectionOptions withOrderlyDisconnect(boolean orderlyDisconnect) {
        return copy(e -> e.orderlyDisconnect = orderlyDisconnect);
    }

    /**
     * Returns a copy with another path.
     *
     * @param path see the record
     * @return a copy
     */
    public ConnectionOptions withPath(PathOptions path) {
        return copy(e -> e.path = path);
    }

    /**
     * Returns a copy with another value of {@code queuePairType}.
     *
     * @param queuePairType see the record
     * @return a copy
     */
    public ConnectionOptions withQueuePairType(QueuePairType queuePairType) {
        return copy(e -> e.queuePairType = queuePairType);
    }

    /** Mutable values from which a copy is made. */
    private static final class Edit {
        private QueuePairCapacity queuePair;
        private int receiveBuffers;
        private int receiveBufferSize;
        private int maxMessageSize;
        private int sendBuffers;
        private int sendBufferSize;
        private int signalEvery;
        private int maxRdAtomic;
        private int timeout;
        private int retryCnt;
        private int rnrRetry;
        private int minRnrTimer;
        private FlowControl flowControl;
        private ConnectMethod connectMethod;
        private @Nullable SSLContext tls;
        private boolean verifyServerName;
        private boolean verifyPeerGid;
        private boolean ownProtectionDomain;
        private Duration handshakeTimeout;
        private Duration drainTimeout;
        private Duration probeInterval;
        private boolean orderlyDisconnect;
        private PathOptions path;
        private QueuePairType queuePairType;

        private Edit(ConnectionOptions from) {
            queuePair = from.queuePair;
            receiveBuffers = from.receiveBuffers;
            receiveBufferSize = from.receiveBufferSize;
            maxMessageSize = from.maxMessageSize;
            sendBuffers = from.sendBuffers;
            sendBufferSize = from.sendBufferSize;
            signalEvery = from.signalEvery;
            maxRdAtomic = from.maxRdAtomic;
            timeout = from.timeout;
            retryCnt = from.retryCnt;
            rnrRetry = from.rnrRetry;
            minRnrTimer = from.minRnrTimer;
            flowControl = from.flowControl;
            connectMethod = from.connectMethod;
            tls = from.tls;
            verifyServerName = from.verifyServerName;
            verifyPeerGid = from.verifyPeerGid;
            ownProtectionDomain = from.ownProtectionDomain;
            handshakeTimeout = from.handshakeTimeout;
            drainTimeout = from.drainTimeout;
            probeInterval = from.probeInterval;
            orderlyDisconnect = from.orderlyDisconnect;
            path = from.path;
            queuePairType = from.queuePairType;
        }
    }

    private ConnectionOptions copy(Consumer<Edit> change) {
        Edit e = new Edit(this);
        change.accept(e);
        return new ConnectionOptions(
                e.queuePair,
                e.receiveBuffers,
                e.receiveBufferSize,
                e.maxMessageSize,
                e.sendBuffers,
                e.sendBufferSize,
                e.signalEvery,
                e.maxRdAtomic,
                e.timeout,
                e.retryCnt,
                e.rnrRetry,
                e.minRnrTimer,
                e.flowControl,
                e.connectMethod,
                e.tls,
                e.verifyServerName,
                e.verifyPeerGid,
                e.ownProtectionDomain,
                e.handshakeTimeout,
                e.drainTimeout,
                e.probeInterval,
                e.orderlyDisconnect,
                e.path,
                e.queuePairType);
    }
}
