/** Parts of calls that both front-ends share: frames, requests of a client, requests that a server processes. */
@NullMarked
package io.rdma.internal.call;

import org.jspecify.annotations.NullMarked;
