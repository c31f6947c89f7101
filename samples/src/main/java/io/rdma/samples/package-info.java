/** Examples to run and to copy from, one package for each. This package has the main program. */
@NullMarked
package io.rdma.samples;

import org.jspecify.annotations.NullMarked;
