/** Calls: typed requests and answers over a connection, for peers in Java and Kotlin. */
@NullMarked
package io.rdma.reactive.call;

import org.jspecify.annotations.NullMarked;
