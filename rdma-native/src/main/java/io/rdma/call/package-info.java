/** Errors of calls, the same in both front-ends. */
@NullMarked
package io.rdma.call;

import org.jspecify.annotations.NullMarked;
