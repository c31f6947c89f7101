/**
 * Calls of the C library: sockets, pages, descriptors, {@code errno}. Calls no verbs, but uses their
 * exceptions and options.
 */
@NullMarked
package io.rdma.internal.os;

import org.jspecify.annotations.NullMarked;
