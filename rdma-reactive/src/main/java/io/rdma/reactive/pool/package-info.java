/** Pool of connections to one or several servers. Needs reactor-pool, which the application adds. */
@NullMarked
package io.rdma.reactive.pool;

import org.jspecify.annotations.NullMarked;
