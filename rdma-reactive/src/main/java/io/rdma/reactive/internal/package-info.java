/** Classes that several packages of the library share; not exported. */
@NullMarked
package io.rdma.reactive.internal;

import org.jspecify.annotations.NullMarked;
