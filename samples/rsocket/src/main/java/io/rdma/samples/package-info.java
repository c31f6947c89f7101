/** Code that the RSocket samples share. */
@NullMarked
package io.rdma.samples;

import org.jspecify.annotations.NullMarked;
