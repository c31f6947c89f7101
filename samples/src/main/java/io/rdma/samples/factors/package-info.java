/** A request/response service with coroutines: prime factors, with deadlines. */
@NullMarked
package io.rdma.samples.factors;

import org.jspecify.annotations.NullMarked;
