/**
 * Calls of the C library: sockets, pages, descriptors, {@code errno}; and the room on the caller's stack. Calls no
 * verbs, but uses their exceptions and options.
 */
@NullMarked
package io.rdma.internal.os;

import org.jspecify.annotations.NullMarked;
