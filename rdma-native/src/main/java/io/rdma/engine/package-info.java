/**
 * The engine: one thread per completion loop, a slot for every work request, signaling, replenishment of receives,
 * drain and close. The front-ends build on {@link io.rdma.engine.RdmaEndpoint}. An {@link io.rdma.engine.Operation}
 * gets the upcall at its end.
 */
@NullMarked
package io.rdma.engine;

import org.jspecify.annotations.NullMarked;
