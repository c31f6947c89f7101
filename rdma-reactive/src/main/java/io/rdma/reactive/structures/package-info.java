/** Data structures in the registered memory of a host, which clients use one-sided: counters, records, tables. */
@NullMarked
package io.rdma.reactive.structures;

import org.jspecify.annotations.NullMarked;
