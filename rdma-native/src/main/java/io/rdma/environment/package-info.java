/** Clock, threads and randomness, which everything below the front-ends is given instead of taking the JVM's. */
@NullMarked
package io.rdma.environment;

import org.jspecify.annotations.NullMarked;
