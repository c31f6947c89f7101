/** A client balanced over several servers by RSocket, one of which is killed, and one of which comes later. */
@NullMarked
package io.rdma.samples.balanced;

import org.jspecify.annotations.NullMarked;
