/** Ping-pongs on the typed verbs objects, which talk to those of rdma-core. */
@NullMarked
package io.rdma.samples.pingpong;

import org.jspecify.annotations.NullMarked;
