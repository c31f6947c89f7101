/** Clock, threads, randomness and network, which code below the front-ends is given in place of the JVM's. */
@NullMarked
package io.rdma.environment;

import org.jspecify.annotations.NullMarked;
