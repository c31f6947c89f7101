/** Meters and observations. Needs {@code micrometer-core} on the class path, which no other package needs. */
@NullMarked
package io.rdma.reactive.micrometer;

import org.jspecify.annotations.NullMarked;
