/**
 * Options, counters and errors of the engine, which stands between verbs and the front-ends: one thread per completion
 * loop, a slot for every work request, signaling, replenishment of receives, drain and close. {@link
 * io.rdma.engine.RdmaEndpoint} shows it below one connection.
 */
@NullMarked
package io.rdma.engine;

import org.jspecify.annotations.NullMarked;
