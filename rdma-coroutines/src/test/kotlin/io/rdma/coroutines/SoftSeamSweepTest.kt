package io.rdma.coroutines

import io.rdma.connect.ConnectMethod
import io.rdma.internal.ffi.Verbs
import io.rdma.internal.soft.FaultySoft
import io.rdma.testing.seam.SeamScenario
import io.rdma.testing.seam.SeamSweep
import io.rdma.testing.seam.Setup

/** Sweep of faults at every call of the software device's seam, with connections that the TCP exchange makes. */
open class SoftSeamSweepTest : SeamSweep() {
    override fun library(): Verbs = FaultySoft.create { false }

    override fun device() = "soft0"

    override fun connector(): ConnectMethod = ConnectMethod.TCP

    override fun scenario(): SeamScenario = CoroutinesScenario()

    override fun firstCalls(setup: Setup) = Integer.getInteger("io.rdma.sweep.calls", 1)
}
