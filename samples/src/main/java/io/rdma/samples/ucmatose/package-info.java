/** The program {@code ucmatose} of rdma-core in Java. Either end of a connection may be the C program. */
@NullMarked
package io.rdma.samples.ucmatose;

import org.jspecify.annotations.NullMarked;
