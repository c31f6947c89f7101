/**
 * Calls of the C library and raw memory: sockets, pages, descriptors, {@code errno}. Knows nothing of verbs.
 */
@NullMarked
package io.rdma.internal.os;

import org.jspecify.annotations.NullMarked;
