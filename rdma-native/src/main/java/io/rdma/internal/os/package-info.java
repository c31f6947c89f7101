/**
 * Calls of the C library and raw memory: sockets, pages, descriptors, {@code errno}. Calls no verbs, but uses their
 * exceptions and options.
 */
@NullMarked
package io.rdma.internal.os;

import org.jspecify.annotations.NullMarked;
