/** Examples to run and to copy from. */
@NullMarked
package io.rdma.samples;

import org.jspecify.annotations.NullMarked;
