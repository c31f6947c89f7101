/** A device that completes each request at once, so that a measurement shows the library alone. */
@NullMarked
package io.rdma.samples.bench.seam;

import org.jspecify.annotations.NullMarked;
