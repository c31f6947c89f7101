/**
 * Typed verbs objects: devices, protection domains, memory regions, completion queues, queue pairs, and the identifiers
 * of the connection manager. Their values are in {@link io.rdma.types}.
 */
@NullMarked
package io.rdma.verbs;

import org.jspecify.annotations.NullMarked;
