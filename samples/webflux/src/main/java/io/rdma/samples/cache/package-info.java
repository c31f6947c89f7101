/** A web service whose values live in the registered memory of another process. */
@NullMarked
package io.rdma.samples.cache;

import org.jspecify.annotations.NullMarked;
