/** Layouts and protocols of the one-sided data structures, once for both front-ends and for the host's processor. */
@NullMarked
package io.rdma.internal.structures;

import org.jspecify.annotations.NullMarked;
