package io.rdma.coroutines

import io.rdma.connect.AdmissionLimits

/** Limits of the connections that a server admits; the receiver of [RdmaConfiguration.limits]. */
@RdmaDsl
public class RdmaLimits internal constructor(
    internal var limits: AdmissionLimits,
) {
    /** Largest number of simultaneous connections; further ones are refused. */
    public var connections: Int
        get() = limits.connections()
        set(value) {
            limits = limits.withConnections(value)
        }

    /** Connections that are being made at a time; the server disconnects further clients. */
    public var handshakes: Int
        get() = limits.handshakes()
        set(value) {
            limits = limits.withHandshakes(value)
        }

    /** Connections that are being made at a time with clients of one address. */
    public var handshakesPerAddress: Int
        get() = limits.handshakesPerAddress()
        set(value) {
            limits = limits.withHandshakesPerAddress(value)
        }
}
