/**
 * The engine: one thread per completion queue, a slot for every work request, signaling, replenishment, drain and
 * close. The front-ends stand on {@link io.rdma.engine.RdmaEndpoint}; {@link io.rdma.engine.Operation} is the upcall.
 */
@NullMarked
package io.rdma.engine;

import org.jspecify.annotations.NullMarked;
