/** A web service that keeps its values in the registered memory of another process. */
@NullMarked
package io.rdma.samples.cache;

import org.jspecify.annotations.NullMarked;
