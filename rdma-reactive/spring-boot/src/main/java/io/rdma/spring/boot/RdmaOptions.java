package io.rdma.spring.boot;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.types.QueuePairCapacity;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Options from the properties {@code rdma.*}, as a bean: for the clients, servers and pools that an application makes
 * itself. The auto-configured ones have them already. A wrong value fails the start of the application, even if it has
 * no device.
 */
public final class RdmaOptions {
    private final ResourceOptions resources;
    private final ConnectionOptions client;
    private final ConnectionOptions server;
    private final AdmissionLimits limits;

    /**
     * Computes the options.
     *
     * @param properties bound properties
     * @param details details of client connections, with the bundle of their TLS
     * @param bundles SSL bundles of the application, null if it has none
     */
    RdmaOptions(RdmaProperties properties, RdmaConnectionDetails details, @Nullable SslBundles bundles) {
        ConnectionOptions common = connection(properties.connection());
        SSLContext tls = NamedBundle.context(properties.ssl().bundle(), bundles);
        resources = resources(properties.resources());
        server = common.withTls(tls);
        SslBundle own = details.getSslBundle();
        client = details instanceof PropertiesRdmaConnectionDetails
                ? server // the same bundle, in a context that follows its updates
                : common.withTls(own == null ? null : own.createSslContext());
        limits = limits(properties.server().limits());
        Duration shutdownTimeout = properties.server().shutdownTimeout();
        if (shutdownTimeout.isNegative()) {
            throw new InvalidConfigurationPropertyValueException(
                    "rdma.server.shutdown-timeout", shutdownTimeout, "Set 0s for a stop that does not wait, or more.");
        }
    }

    /**
     * Returns the options of the open device: {@code rdma.resources.*}.
     *
     * @return immutable
     */
    public ResourceOptions resources() {
        return resources;
    }

    /**
     * Returns the options of client connections: {@code rdma.connection.*}, with the TLS of the
     * {@link RdmaConnectionDetails}.
     *
     * @return immutable
     */
    public ConnectionOptions client() {
        return client;
    }

    /**
     * Returns the options of the connections of servers: {@code rdma.connection.*}, with the TLS of
     * {@code rdma.ssl.bundle}.
     *
     * @return immutable
     */
    public ConnectionOptions server() {
        return server;
    }

    /**
     * Returns the limits of servers: {@code rdma.server.limits.*}.
     *
     * @return immutable
     */
    public AdmissionLimits limits() {
        return limits;
    }

    private static ResourceOptions resources(RdmaProperties.Resources from) {
        return new BoundOptions<>("rdma.resources.", ResourceOptions.DEFAULT)
                .set(
                        "completion-queue-entries",
                        from.completionQueueEntries(),
                        ResourceOptions::withCompletionQueueEntries)
                .set(
                        "max-completion-queue-entries",
                        from.maxCompletionQueueEntries(),
                        ResourceOptions::withMaxCompletionQueueEntries)
                .set("loops", from.loops(), ResourceOptions::withLoops)
                .set("idle-strategy", from.idleStrategy(), ResourceOptions::withIdleStrategy)
                .set("huge-pages", from.hugePages(), ResourceOptions::withHugePages)
                .longSize("max-registered-bytes", from.maxRegisteredBytes(), ResourceOptions::withMaxRegisteredBytes)
                .longSize("cached-bytes", from.cachedBytes(), ResourceOptions::withCachedBytes)
                .set(
                        "shared-receive-buffers",
                        from.sharedReceiveBuffers(),
                        (o, count) -> o.withSharedReceiveBuffers(count, o.sharedReceiveBufferSize()))
                .size(
                        "shared-receive-buffer-size",
                        from.sharedReceiveBufferSize(),
                        (o, size) -> o.withSharedReceiveBuffers(o.sharedReceiveBuffers(), size))
                .set("completion-vectors", from.completionVectors(), (o, all) -> o.withCompletionVectors(ints(all)))
                .set("processors", from.processors(), (o, all) -> o.withProcessors(ints(all)))
                .set("device-node", from.deviceNode(), ResourceOptions::withDeviceNode)
                .set("on-demand", from.onDemand(), ResourceOptions::withOnDemand)
                .get();
    }

    private static int[] ints(List<Integer> numbers) {
        if (numbers.stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException("a number is missing between two commas, or behind the last one");
        }
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    private static ConnectionOptions connection(RdmaProperties.Connection from) {
        return new BoundOptions<>("rdma.connection.", ConnectionOptions.DEFAULT)
                .set("queue-pair", queuePair(from.queuePair()), ConnectionOptions::withQueuePair)
                .set(
                        "receive-buffers",
                        from.receiveBuffers(),
                        (o, count) -> o.withReceiveBuffers(count, o.receiveBufferSize()))
                .size(
                        "receive-buffer-size",
                        from.receiveBufferSize(),
                        (o, size) -> o.withReceiveBuffers(o.receiveBuffers(), size))
                .size("max-message-size", from.maxMessageSize(), RdmaOptions::withMaxMessageSize)
                .set("send-buffers", from.sendBuffers(), (o, count) -> o.withSendBuffers(count, o.sendBufferSize()))
                .size("send-buffer-size", from.sendBufferSize(), (o, size) -> o.withSendBuffers(o.sendBuffers(), size))
                .set("signal-every", from.signalEvery(), ConnectionOptions::withSignalEvery)
                .set("max-rd-atomic", from.maxRdAtomic(), ConnectionOptions::withMaxRdAtomic)
                .set("timeout", from.timeout(), ConnectionOptions::withTimeout)
                .set("retry-cnt", from.retryCnt(), ConnectionOptions::withRetryCnt)
                .set("rnr-retry", from.rnrRetry(), ConnectionOptions::withRnrRetry)
                .set("min-rnr-timer", from.minRnrTimer(), ConnectionOptions::withMinRnrTimer)
                .set("flow-control", from.flowControl(), ConnectionOptions::withFlowControl)
                .set("connect-method", from.connectMethod(), ConnectionOptions::withConnectMethod)
                .set("verify-server-name", from.verifyServerName(), ConnectionOptions::withVerifyServerName)
                .set("verify-peer-gid", from.verifyPeerGid(), ConnectionOptions::withVerifyPeerGid)
                .set("own-protection-domain", from.ownProtectionDomain(), ConnectionOptions::withOwnProtectionDomain)
                .set("handshake-timeout", from.handshakeTimeout(), ConnectionOptions::withHandshakeTimeout)
                .set("drain-timeout", from.drainTimeout(), ConnectionOptions::withDrainTimeout)
                .set("probe-interval", from.probeInterval(), ConnectionOptions::withProbeInterval)
                .set("orderly-disconnect", from.orderlyDisconnect(), ConnectionOptions::withOrderlyDisconnect)
                .set("queue-pair-type", from.queuePairType(), ConnectionOptions::withQueuePairType)
                .set("path", path(from.path()), ConnectionOptions::withPath)
                .get();
    }

    /** The options would raise a negative size to that of a receive buffer without a word. */
    private static ConnectionOptions withMaxMessageSize(ConnectionOptions options, int size) {
        if (size < 1) {
            throw new IllegalArgumentException("maxMessageSize must be at least 1: " + size);
        }
        return options.withMaxMessageSize(size);
    }

    private static PathOptions path(RdmaProperties.Path from) {
        if (from.partitionKey() != null && from.partitionIndex() != null) {
            throw new InvalidConfigurationPropertyValueException(
                    "rdma.connection.path.partition-key",
                    from.partitionKey(),
                    "rdma.connection.path.partition-index is set, too. Set one of both.");
        }
        return new BoundOptions<>("rdma.connection.path.", PathOptions.DEFAULT)
                .set("service-level", from.serviceLevel(), PathOptions::withServiceLevel)
                .set("traffic-class", from.trafficClass(), PathOptions::withTrafficClass)
                .set("hop-limit", from.hopLimit(), PathOptions::withHopLimit)
                .set("flow-label", from.flowLabel(), PathOptions::withFlowLabel)
                .set("partition-key", from.partitionKey(), PathOptions::withPartitionKey)
                .set("partition-index", from.partitionIndex(), PathOptions::withPartitionIndex)
                .set("port", from.port(), PathOptions::withPort)
                .set("gid-type", from.gidType(), PathOptions::withGidType)
                .set("gid-address", from.gidAddress(), PathOptions::withGidAddress)
                .set("alternate-gid-address", from.alternateGidAddress(), PathOptions::withAlternateGidAddress)
                .set(
                        "peer-alternate-gid-address",
                        from.peerAlternateGidAddress(),
                        PathOptions::withPeerAlternateGidAddress)
                .get();
    }

    private static QueuePairCapacity queuePair(RdmaProperties.QueuePair from) {
        return new BoundOptions<>("rdma.connection.queue-pair.", ConnectionOptions.DEFAULT.queuePair())
                .set("max-send-wr", from.maxSendWr(), QueuePairCapacity::withMaxSendWr)
                .set("max-receive-wr", from.maxReceiveWr(), QueuePairCapacity::withMaxReceiveWr)
                .set("max-send-sge", from.maxSendSge(), QueuePairCapacity::withMaxSendSge)
                .set("max-receive-sge", from.maxReceiveSge(), QueuePairCapacity::withMaxReceiveSge)
                .size("max-inline-data", from.maxInlineData(), QueuePairCapacity::withMaxInlineData)
                .get();
    }

    private static AdmissionLimits limits(RdmaProperties.Limits from) {
        return new BoundOptions<>("rdma.server.limits.", AdmissionLimits.DEFAULT)
                .set("connections", from.connections(), AdmissionLimits::withConnections)
                .set("handshakes", from.handshakes(), AdmissionLimits::withHandshakes)
                .set("handshakes-per-address", from.handshakesPerAddress(), AdmissionLimits::withHandshakesPerAddress)
                .get();
    }
}
