/** Meters and observations. Needs {@code micrometer-core} on the class path, which nothing else does. */
@NullMarked
package io.rdma.reactive.micrometer;

import org.jspecify.annotations.NullMarked;
