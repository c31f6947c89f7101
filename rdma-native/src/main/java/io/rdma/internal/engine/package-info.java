/**
 * The hot path of a connection: send queue, receive queue, signaling, replenishment of receives, drain and close. The
 * front-ends build on {@link io.rdma.internal.engine.Endpoint}. An {@link io.rdma.internal.engine.Operation} gets the
 * upcall at its end.
 */
@NullMarked
package io.rdma.internal.engine;

import org.jspecify.annotations.NullMarked;
