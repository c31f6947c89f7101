/**
 * Typed verbs objects: devices, protection domains, memory regions, completion queues, queue pairs, and the errors of
 * the library.
 */
@NullMarked
package io.rdma.verbs;

import org.jspecify.annotations.NullMarked;
