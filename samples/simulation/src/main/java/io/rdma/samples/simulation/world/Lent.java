package io.rdma.samples.simulation.world;

import io.rdma.types.RemoteMemory;
import org.jspecify.annotations.Nullable;

/**
 * Memory and structures that the server lends to a session. The run passes them on, not the network.
 *
 * @param memory null if the session wants none, or if the server cannot lend any
 * @param structures null if the session uses none
 */
record Lent(@Nullable RemoteMemory memory, @Nullable StructureAdmission structures) {
    static final Lent NOTHING = new Lent(null, null);
}
