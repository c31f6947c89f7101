/** Logging that all layers use. */
@NullMarked
package io.rdma.internal.log;

import org.jspecify.annotations.NullMarked;
