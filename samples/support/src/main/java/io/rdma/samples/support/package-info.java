/** Parts that several samples share: child processes, options of the command line, the choice of a GID. */
@NullMarked
package io.rdma.samples.support;

import org.jspecify.annotations.NullMarked;
