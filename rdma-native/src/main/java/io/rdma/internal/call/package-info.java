/** Parts of calls that both front-ends share: frames, the requests of a client, the requests that a server processes. */
@NullMarked
package io.rdma.internal.call;

import org.jspecify.annotations.NullMarked;
