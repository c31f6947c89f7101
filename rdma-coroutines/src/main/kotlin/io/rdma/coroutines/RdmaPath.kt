package io.rdma.coroutines

import io.rdma.connect.PathOptions
import io.rdma.types.GidType
import java.net.InetAddress

/**
 * Path of the packets that this side sends; the receiver of [RdmaConfiguration.path]. The device or the connection
 * manager chooses what is null, see [PathOptions].
 */
@RdmaDsl
public class RdmaPath internal constructor(
    internal var options: PathOptions,
) {
    /** Service level, from 0 to 15; on RoCE the priority, from 0 to 7. */
    public var serviceLevel: Int?
        get() = options.serviceLevel()
        set(value) = copy(serviceLevel = value)

    /** Traffic class, from 0 to 255: the DSCP in its upper six bits. */
    public var trafficClass: Int?
        get() = options.trafficClass()
        set(value) = copy(trafficClass = value)

    /** Number of routers that a packet may pass, from 1 to 255. */
    public var hopLimit: Int?
        get() = options.hopLimit()
        set(value) = copy(hopLimit = value)

    /** Flow label of 20 bits. */
    public var flowLabel: Int?
        get() = options.flowLabel()
        set(value) = copy(flowLabel = value)

    /** Partition by its P_Key, of 16 bits; replaces [partitionIndex]. */
    public var partitionKey: Int?
        get() = options.partitionKey()
        set(value) = copy(partitionKey = value, partitionIndex = if (value == null) partitionIndex else null)

    /** Partition by its index in the table of the port; replaces [partitionKey]. */
    public var partitionIndex: Int?
        get() = options.partitionIndex()
        set(value) = copy(partitionKey = if (value == null) partitionKey else null, partitionIndex = value)

    /** Port of the device, from 1. */
    public var port: Int?
        get() = options.port()
        set(value) = copy(port = value)

    /** Type of the local GID. */
    public var gidType: GidType?
        get() = options.gidType()
        set(value) = copy(gidType = value)

    /** IP address of the local GID. */
    public var gidAddress: InetAddress?
        get() = options.gidAddress()
        set(value) = copy(gidAddress = value)

    /** IP address of another local GID: from there leads an alternate path, to which the connection migrates. */
    public var alternateGidAddress: InetAddress?
        get() = options.alternateGidAddress()
        set(value) = copy(alternateGidAddress = value)

    /** [alternateGidAddress] of the peer, if this side knows it: a peer with another one is refused. */
    public var peerAlternateGidAddress: InetAddress?
        get() = options.peerAlternateGidAddress()
        set(value) = copy(peerAlternateGidAddress = value)

    private fun copy(
        serviceLevel: Int? = this.serviceLevel,
        trafficClass: Int? = this.trafficClass,
        hopLimit: Int? = this.hopLimit,
        flowLabel: Int? = this.flowLabel,
        partitionKey: Int? = this.partitionKey,
        partitionIndex: Int? = this.partitionIndex,
        port: Int? = this.port,
        gidType: GidType? = this.gidType,
        gidAddress: InetAddress? = this.gidAddress,
        alternateGidAddress: InetAddress? = this.alternateGidAddress,
        peerAlternateGidAddress: InetAddress? = this.peerAlternateGidAddress,
    ) {
        options =
            PathOptions(
                serviceLevel,
                trafficClass,
                hopLimit,
                flowLabel,
                partitionKey,
                partitionIndex,
                port,
                gidType,
                gidAddress,
                alternateGidAddress,
                peerAlternateGidAddress,
            )
    }
}
