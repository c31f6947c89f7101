/** A client that RSocket balances over several servers, of which one is killed and another one is added later. */
@NullMarked
package io.rdma.samples.balanced;

import org.jspecify.annotations.NullMarked;
