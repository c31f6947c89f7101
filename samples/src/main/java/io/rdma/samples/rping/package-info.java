/** Ping-pong over RDMA CM on the typed verbs objects, which talks to rdma-core's {@code rping}. */
@NullMarked
package io.rdma.samples.rping;

import org.jspecify.annotations.NullMarked;
