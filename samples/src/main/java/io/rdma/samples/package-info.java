/** Examples to run and to copy. */
@NullMarked
package io.rdma.samples;

import org.jspecify.annotations.NullMarked;
