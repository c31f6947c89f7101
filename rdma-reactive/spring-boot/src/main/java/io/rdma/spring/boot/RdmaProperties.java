package io.rdma.spring.boot;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.FlowControl;
import io.rdma.engine.IdleStrategy;
import io.rdma.types.GidType;
import io.rdma.types.HugePages;
import io.rdma.verbs.QueuePairType;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties {@code rdma.*}. {@link RdmaOptions} has them as options of the library, which check their ranges.
 *
 * @param enabled whether the auto-configuration is active
 * @param required whether the application must not start without a device
 * @param device name of the device, such as mlx5_0 or soft0; the default device unless set
 * @param resources how connections share the open device
 * @param connection options of the connections of clients and servers
 * @param ssl TLS of clients and servers
 * @param client address that clients connect to
 * @param server address that the server listens on
 * @param rsocket address that RSocket's server listens on
 * @param http address that the web server over RDMA listens on, and its event loops
 * @param observations observations of operations
 */
@ConfigurationProperties("rdma")
public record RdmaProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean required,
        @Nullable String device,
        @DefaultValue Resources resources,
        @DefaultValue Connection connection,
        @DefaultValue Ssl ssl,
        @DefaultValue Client client,
        @DefaultValue Server server,
        @DefaultValue RSocket rsocket,
        @DefaultValue Http http,
        @DefaultValue Observations observations) {
    /** Address on which a server listens on all interfaces, with those of IPv6. */
    private static final String ALL_INTERFACES = "0.0.0.0";

    private static String listeningHost(@Nullable String host) {
        return host == null || host.isBlank() ? ALL_INTERFACES : host;
    }

    /**
     * Properties {@code rdma.resources.*}: {@link io.rdma.engine.ResourceOptions}.
     *
     * @param completionQueueEntries depth of the first completion queue of each loop
     * @param maxCompletionQueueEntries upper bound of the entries of all completion queues of a loop together; no bound
     *     unless set
     * @param loops number of completion loops, each with a thread of its own, from 1 to 1024
     * @param idleStrategy behaviour of a loop when nothing completes
     * @param hugePages pages behind buffers and allocated regions
     * @param maxRegisteredBytes upper bound of the memory that all connections together may have registered; no bound
     *     unless set
     * @param cachedBytes memory of the application that stays registered for its next use; 0B for none
     * @param sharedReceiveBuffers receive buffers per loop that its connections share; 0 for a ring for each connection
     * @param sharedReceiveBufferSize size of each shared receive buffer
     * @param completionVectors completion vectors of the device for the loops, one each in turn; all vectors unless set
     * @param processors processors for the threads of the loops, one each in turn; no choice unless set
     * @param deviceNode whether loops without a choice run on the NUMA node of the device
     * @param onDemand whether memory of messages is paged on demand instead of pinned
     */
    public record Resources(
            @DefaultValue("8192") int completionQueueEntries,
            @Nullable Integer maxCompletionQueueEntries,
            @DefaultValue("1") int loops,
            @DefaultValue("adaptive") IdleStrategy idleStrategy,
            @DefaultValue("none") HugePages hugePages,
            @Nullable DataSize maxRegisteredBytes,
            @DefaultValue("256MB") DataSize cachedBytes,
            @DefaultValue("0") int sharedReceiveBuffers,
            @DefaultValue("8KB") DataSize sharedReceiveBufferSize,
            @DefaultValue List<Integer> completionVectors,
            @DefaultValue List<Integer> processors,
            @DefaultValue("false") boolean deviceNode,
            @DefaultValue("false") boolean onDemand) {}

    /**
     * Properties {@code rdma.connection.*}: {@link io.rdma.connect.ConnectionOptions}.
     *
     * @param queuePair depths and sizes of the queue pair of each connection
     * @param receiveBuffers number of receive buffers that are posted in advance
     * @param receiveBufferSize size of each receive buffer; a larger message is read from the sender
     * @param maxMessageSize size of the largest message that is received, and, from 64 bytes to 16 MiB, of the largest
     *     frame that RSocket sends
     * @param sendBuffers number of buffers in the send pool
     * @param sendBufferSize size of each send buffer
     * @param signalEvery a completion at least every so many sends
     * @param maxRdAtomic reads and atomics in flight, from 1 to 255
     * @param timeout code of the acknowledge time-out, from 1 to 31: 4.096 us times 2 to the power of it
     * @param retryCnt retries after a time-out, from 0 to 7
     * @param rnrRetry retries while the peer has no receive posted, from 0 to 6; 7 is without end
     * @param minRnrTimer code of the pause before such a retry, from 1 to 31
     * @param flowControl mechanism that keeps a fast sender from overrunning a slow receiver
     * @param connectMethod method of making connections
     * @param verifyServerName whether a client with TLS requires the server's certificate to be for the name that it
     *     connects to
     * @param verifyPeerGid whether the GID that a peer names must be an address of the host that it connects from
     * @param ownProtectionDomain whether each connection has a protection domain of its own
     * @param handshakeTimeout time limit for making a connection
     * @param drainTimeout time that a close waits for its farewell to arrive, and then for the device
     * @param probeInterval time without activity after which a connection probes its peer; 0 for never
     * @param orderlyDisconnect whether a disconnect without a farewell counts as an orderly end
     * @param queuePairType rc for a reliable connection, uc for an unreliable one, whose messages may be lost; the same
     *     on both sides
     * @param path quality of service, port, partition and GID of the packets that this side sends
     */
    public record Connection(
            @DefaultValue QueuePair queuePair,
            @DefaultValue("128") int receiveBuffers,
            @DefaultValue("8KB") DataSize receiveBufferSize,
            @DefaultValue("64MB") DataSize maxMessageSize,
            @DefaultValue("64") int sendBuffers,
            @DefaultValue("8KB") DataSize sendBufferSize,
            @DefaultValue("32") int signalEvery,
            @DefaultValue("16") int maxRdAtomic,
            @DefaultValue("14") int timeout,
            @DefaultValue("6") int retryCnt,
            @DefaultValue("7") int rnrRetry,
            @DefaultValue("14") int minRnrTimer,
            @DefaultValue("credits") FlowControl flowControl,
            @DefaultValue("automatic") ConnectMethod connectMethod,
            @DefaultValue("true") boolean verifyServerName,
            @DefaultValue("true") boolean verifyPeerGid,
            @DefaultValue("false") boolean ownProtectionDomain,
            @DefaultValue("30s") Duration handshakeTimeout,
            @DefaultValue("2s") Duration drainTimeout,
            @DefaultValue("10s") Duration probeInterval,
            @DefaultValue("true") boolean orderlyDisconnect,
            @DefaultValue("rc") QueuePairType queuePairType,
            @DefaultValue Path path) {}

    /**
     * Properties {@code rdma.connection.path.*}: {@link io.rdma.connect.PathOptions}. The device or RDMA CM chooses
     * what is not set.
     *
     * @param serviceLevel service level, from 0 to 15; on RoCE the priority, from 0 to 7
     * @param trafficClass traffic class, from 0 to 255: four times the DSCP
     * @param hopLimit number of routers that a packet may pass, from 1 to 255
     * @param flowLabel flow label, from 0 to 1048575
     * @param partitionKey P_Key of the partition, from 1 to 65535
     * @param partitionIndex index of the partition in the port's table, instead of its key
     * @param port port of the device, from 1
     * @param gidType type of the local GID
     * @param gidAddress IP address of the local GID
     * @param alternateGidAddress IP address of the local GID from which the alternate path leads
     * @param peerAlternateGidAddress IP address to which the alternate path leads: no other one is accepted
     */
    public record Path(
            @Nullable Integer serviceLevel,
            @Nullable Integer trafficClass,
            @Nullable Integer hopLimit,
            @Nullable Integer flowLabel,
            @Nullable Integer partitionKey,
            @Nullable Integer partitionIndex,
            @Nullable Integer port,
            @Nullable GidType gidType,
            @Nullable InetAddress gidAddress,
            @Nullable InetAddress alternateGidAddress,
            @Nullable InetAddress peerAlternateGidAddress) {}

    /**
     * Properties {@code rdma.connection.queue-pair.*}: {@link io.rdma.types.QueuePairCapacity}.
     *
     * @param maxSendWr depth of the send queue, in work requests
     * @param maxReceiveWr depth of the receive queue, in work requests; raised to the number of receive buffers
     * @param maxSendSge scatter/gather entries per send
     * @param maxReceiveSge scatter/gather entries per receive
     * @param maxInlineData size of the largest message that is sent inline; 0B for none
     */
    public record QueuePair(
            @DefaultValue("128") int maxSendWr,
            @DefaultValue("128") int maxReceiveWr,
            @DefaultValue("4") int maxSendSge,
            @DefaultValue("1") int maxReceiveSge,
            @DefaultValue("64B") DataSize maxInlineData) {}

    /**
     * Properties {@code rdma.ssl.*}.
     *
     * @param bundle name of the SSL bundle with which clients and servers authenticate each other; without it they do
     *     not authenticate
     */
    public record Ssl(@Nullable String bundle) {}

    /**
     * Properties {@code rdma.client.*}. A bean of type RdmaConnectionDetails replaces them.
     *
     * @param host name or address of the server
     * @param port port of the server, from 1 to 65535
     */
    public record Client(
            @DefaultValue("localhost") String host,
            @DefaultValue("7471") int port) {}

    /**
     * Properties {@code rdma.server.*}. The server runs if there is a bean of type RdmaConnectionHandler.
     *
     * @param host local name or address to listen on; all addresses unless set
     * @param port port to listen on, 0 for a free one
     * @param limits connections that the server admits
     * @param shutdownTimeout how long a stop waits for handlers to end by themselves
     */
    public record Server(
            @Nullable String host,
            @DefaultValue("7471") int port,
            @DefaultValue Limits limits,
            @DefaultValue("5s") Duration shutdownTimeout) {
        /**
         * Returns the host to listen on.
         *
         * @return the host, or the address of all interfaces
         */
        public String listeningHost() {
            return RdmaProperties.listeningHost(host);
        }
    }

    /**
     * Properties {@code rdma.server.limits.*}: {@link io.rdma.connect.AdmissionLimits}. They also hold for RSocket's
     * server.
     *
     * @param connections largest number of simultaneous connections; further ones are refused
     * @param handshakes connections that are being made at a time; the server disconnects further clients
     * @param handshakesPerAddress connections that are being made at a time with clients of one address
     */
    public record Limits(
            @DefaultValue("1000") int connections,
            @DefaultValue("256") int handshakes,
            @DefaultValue("128") int handshakesPerAddress) {}

    /**
     * Properties {@code rdma.rsocket.*}. The server runs if the port is set and there is a service to offer: Spring's
     * message handler, or an RSocketServer of the application.
     *
     * @param host local name or address to listen on; all addresses unless set
     * @param port port to listen on, 0 for a free one; without it RSocket's server does not run
     */
    public record RSocket(@Nullable String host, @Nullable Integer port) {
        /**
         * Returns the host to listen on.
         *
         * @return the host, or the address of all interfaces
         */
        public String listeningHost() {
            return RdmaProperties.listeningHost(host);
        }
    }

    /**
     * Properties {@code rdma.http.*}. The web server over RDMA runs if the port is set. It serves the handlers of the
     * application's web server, with the settings {@code server.*} apart from address and port.
     *
     * @param host local name or address to listen on; all addresses unless set
     * @param port port to listen on, 0 for a free one; without it there is no web server over RDMA
     * @param eventLoops number of event loops of HTTP over RDMA, which servers and clients share; one for every second
     *     processor unless set, at most four
     */
    public record Http(
            @Nullable String host,
            @Nullable Integer port,
            @Nullable Integer eventLoops) {
        /**
         * Returns the host to listen on.
         *
         * @return the host, or the address of all interfaces
         */
        public String listeningHost() {
            return RdmaProperties.listeningHost(host);
        }
    }

    /**
     * Properties {@code rdma.observations.*}.
     *
     * @param enabled whether the operations of connections are observed if there is an ObservationRegistry
     */
    public record Observations(@DefaultValue("true") boolean enabled) {}
}
