/** Data structures in registered memory that clients use one-sided: layouts, locations, errors, the hosts' side. */
@NullMarked
package io.rdma.structures;

import org.jspecify.annotations.NullMarked;
